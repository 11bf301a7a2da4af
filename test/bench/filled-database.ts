/** A node's database that holds any number of open channels, as the node itself would have written them. */

import { randomBytes } from 'node:crypto';
import { channelActorId, tokenActorId } from '../../machines/base/actor-ids.ts';
import { newChannel } from '../../machines/channel/context.ts';
import { newNetwork } from '../../machines/token-network/context.ts';
import { type Address, parseAddress, toHex } from '../../src/basics/hex.ts';
import type { DevnetChain } from '../../src/devnet/chain/set-up-chain.ts';
import { rowOf } from '../../src/node/runtime/actors/kinds.ts';
import { leastRevealTimeout } from '../../src/protocol/channel/expiration.ts';
import { type ActorRow, emptyBatch } from '../../src/store/base/batch.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { ownCpuMs } from './process-figures.ts';

const ROWS_PER_COMMIT = 500;
const CONFIRMATIONS = 1n;
/** Those of the node process that starts on the database: with others, it would tell them to each channel at first. */
const SETTINGS = {
  confirmations: CONFIRMATIONS,
  defaultRevealTimeout: 50n,
  minRevealTimeout: leastRevealTimeout(CONFIRMATIONS),
};
const DEPOSIT = 10n ** 18n;

export type Owner = { chain: DevnetChain; own: Address };
export type FilledChannel = { id: string; partner: Address; channelId: bigint };

export function randomAddress(): Address {
  const address = parseAddress(toHex(randomBytes(20)));
  if (address === null) throw new Error('20 bytes are an address');
  return address;
}

export function tokenOf({ chain }: Pick<Owner, 'chain'>): DevnetChain['tokens'][number] {
  const [token] = chain.tokens;
  if (token === undefined) throw new Error('the chain has no token');
  return token;
}

function channelRow({ chain, own }: Owner, { id, partner, channelId }: FilledChannel): ActorRow {
  const { address: token, tokenNetwork } = tokenOf({ chain });
  const { ownEnd, ...fresh } = newChannel({
    id,
    chainId: chain.chainId,
    own,
    tokenNetwork,
    token,
    confirmations: SETTINGS.confirmations,
    channelId,
    partner,
    openBlock: 1n,
    settleTimeout: 500n,
    revealTimeout: SETTINGS.defaultRevealTimeout,
    isRevealChosen: false,
    minRevealTimeout: SETTINGS.minRevealTimeout,
  });
  const context = { ...fresh, ownEnd: { ...ownEnd, deposit: DEPOSIT } };
  return rowOf(id, { value: { opened: { deposit: 'idle', withdraw: 'idle' } }, context });
}

/** Adds `count` channels with as many new partners; the contract's numbers of them begin at `firstId`. */
export function addChannels(
  store: Store,
  owner: Owner,
  { count, firstId }: { count: number; firstId: bigint },
): FilledChannel[] {
  const { address: token, tokenNetwork } = tokenOf(owner);
  const channels = Array.from({ length: count }, (_, index) => {
    const channelId = firstId + BigInt(index);
    return { id: channelActorId({ tokenNetwork, channelId }), partner: randomAddress(), channelId };
  });
  for (let first = 0; first < count; first += ROWS_PER_COMMIT) {
    const some = channels.slice(first, first + ROWS_PER_COMMIT);
    store.commit({
      ...emptyBatch(),
      actors: some.map((channel) => channelRow(owner, channel)),
      channels: some.map(({ id, partner }) => ({ id, token, partner, openBlock: 1n })),
    });
  }
  return channels;
}

/** Opens the database of this owner; it is made when it is not there. */
export function openFilled(url: string, { chain, own }: Owner): Store {
  const { chainId, contracts } = chain;
  const tokenNetworkRegistry = contracts.tokenNetworkRegistryAddress;
  const opened = openStore({ url, stamp: { chainId, tokenNetworkRegistry, ownAddress: own } });
  if (!opened.ok) throw new Error(opened.message);
  return opened.store;
}

/**
 * Makes the database of a node with so many open channels. Answers how many milliseconds of CPU time the bare reading
 * of its rows takes.
 */
export function fillNew(url: string, owner: Owner, count: number): number {
  const { address: token, tokenNetwork } = tokenOf(owner);
  const common = { chainId: owner.chain.chainId, own: owner.own, ...SETTINGS };
  const root = { ...common, tokens: [token], wakeBlock: null };
  const network = newNetwork({ ...common, id: '', token, tokenNetwork, requestId: null });
  const store = openFilled(url, owner);
  store.commit({
    ...emptyBatch(),
    actors: [
      rowOf('node', { value: 'ready', context: root }),
      rowOf(tokenActorId(token), { value: { registered: 'idle' }, context: network }),
    ],
  });
  addChannels(store, owner, { count, firstId: 1n });
  store.loadActors();
  const before = ownCpuMs();
  store.loadActors();
  const reading = ownCpuMs() - before;
  store.close();
  return reading;
}
