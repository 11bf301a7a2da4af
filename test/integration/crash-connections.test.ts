/**
 * kill -9 in the middle of a join, of a deposit that matches a partner's, and of a leave: after the restart
 * each goes on to its end, once.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenNetworkAbi } from '../../src/chain/abi.ts';
import { customTokenAbi } from '../../src/contracts/generated/CustomToken.ts';
import { confirmed } from '../../src/contracts/transact.ts';
import { connectNats } from '../../src/partner/nats.ts';
import type { Transport } from '../../src/partner/transport.ts';
import type { Address } from '../../src/protocol/hex.ts';
import { recover } from '../../src/signer/ecdsa.ts';
import { good } from '../support/api.ts';
import { anvilAccount } from '../support/chain.ts';
import { readLedger } from '../support/ledger.ts';
import { signerOf } from '../support/pathfinding.ts';
import { type NodeProcess, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { walk } from '../support/walks.ts';

/** Where it dies in each of its deeds, e.g. when the second of its jobs has been submitted. */
const LIVES: Record<'join' | 'match' | 'leave', string>[] = [
  { join: 'commit.before:1', match: 'commit.after:2', leave: 'commit.before:1' },
  { join: 'commit.after:1', match: 'job.after:1', leave: 'commit.after:1' },
  { join: 'job.after:2', match: 'transaction.saved:2', leave: 'job.after:6' },
  { join: 'transaction.saved:3', match: 'transaction.mined:1', leave: 'transaction.mined:6' },
];
const WEALTH = 1_000n;
const SHARE = 20n;
/** What a partner puts into a channel that it opens. */
const GIFT = 7n;
/** They answer that they are there, and do nothing else: what happens on chain is alice's doing alone. */
const PEERS = [6, 7, 8].map(signerOf);
/** Opens channels with alice, and is not there to be opened with. */
const GUEST = anvilAccount(9).address;
const SETTLE_TIMEOUT = 20n;
const options = { 'default-settle-timeout': `${SETTLE_TIMEOUT}`, 'default-reveal-timeout': '10' };
/** Three times approve and open; approve and deposit; four times close and settle. */
const TRANSACTIONS_OF_A_LIFE = 6 + 2 + 8;

let world: World;
let alice: NodeProcess;
let peers: Transport[] = [];

beforeAll(async () => {
  world = await startWorld();
  const { contracts, natsUrl, chain } = world;
  const { tokenNetworkRegistryAddress: tokenNetworkRegistry } = contracts;
  const network = { url: natsUrl, chainId: chain.chainId, tokenNetworkRegistry };
  peers = PEERS.map((signer) => {
    const peer = connectNats({
      ...network,
      address: signer.address,
      sign: signer.sign,
      recover,
    });
    peer.onMessage(() => {}, signer.publicKey);
    return peer;
  });
  await world.fund(await world.createKey('alice'), WEALTH);
  const [first, second, third] = PEERS.map(({ address }) => address);
  await approveGifts();
  await openOnChain(first ?? GUEST, second ?? GUEST, GIFT);
  await openOnChain(GUEST, third ?? GUEST, GIFT);
  await world.mine(2n);
  alice = await world.start('alice', { options });
});
afterAll(async () => {
  await Promise.all(peers.map((peer) => peer.close()));
  await world?.stop();
});

/** Opens a channel of two others, with a deposit of the first. */
async function openOnChain(first: Address, second: Address, deposit: bigint): Promise<void> {
  const { clients, tokenNetwork } = world;
  const hash = await clients.wallet.writeContract({
    address: tokenNetwork,
    abi: tokenNetworkAbi,
    functionName: 'openChannelWithDeposit',
    args: [first, second, SETTLE_TIMEOUT, deposit],
  });
  await confirmed(clients, hash, 'opening');
}
async function approveGifts(): Promise<void> {
  const { clients, token, tokenNetwork } = world;
  const args = [tokenNetwork, 1_000n] as const;
  const approval = { address: token, abi: customTokenAbi, functionName: 'approve', args } as const;
  await confirmed(clients, await clients.wallet.writeContract(approval), 'approval');
}
const path = () => `/connections/${world.token}`;
const ledger = () => readLedger(join(world.folder, 'alice', 'node.db'));
const channels = () => ledger().channels;
const isQuiet = () => ledger().jobs === 0;
const deposits = () => channels().map(({ context }) => context.ownEnd.deposit);
const transactionsSent = () => world.chain.client.getTransactionCount({ address: alice.address });
const joinNetwork = () => alice.api.put(path(), { funds: '100' });
const leaveNetwork = () => alice.api.ask({ method: 'DELETE', path: path() });

type Deed = {
  ask: () => Promise<unknown>;
  /** Nothing of it is on disk: whoever asked has to ask again. */
  isLost: () => boolean;
  isDone: () => boolean;
};
const hasShares = () => deposits().filter((deposit) => deposit === SHARE).length === PEERS.length;
const DEEDS: Record<'join' | 'match' | 'leave', Deed> = {
  join: {
    ask: joinNetwork,
    isLost: () => isQuiet() && channels().length === 0,
    isDone: () => isQuiet() && hasShares(),
  },
  match: {
    ask: () => openOnChain(GUEST, alice.address, GIFT),
    isLost: () => false,
    isDone: () => isQuiet() && deposits().includes(GIFT),
  },
  leave: {
    ask: leaveNetwork,
    isLost: () => isQuiet() && channels().every(({ value }) => isOpen(value)),
    isDone: () => isQuiet() && channels().length === 0,
  },
};
function isOpen(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'opened' in value;
}

/** Does it, and dies when the point is met; then goes on without anybody asking, if anything is on disk. */
async function doAndDieAt({ ask, isLost, isDone }: Deed, point: string): Promise<void> {
  alice.dieAt(point);
  void ask().catch(() => {});
  await until(async () => alice.isOver() || (await world.nudge()), `alice dies at ${point}`);
  alice = await world.start('alice', { options });
  if (isLost()) void ask().catch(() => {});
  await until(async () => isDone() || (await world.nudge()), 'the deed is done');
}

describe('a node', () => {
  it('answers a join, and a leave that is asked for again after the node died', async () => {
    expect(good(await world.whileMining(joinNetwork()))).toHaveLength(3);
    expect(good(await alice.api.get('/connections'))).toEqual({
      [world.token]: { sum_deposits: '60', channels: '3' },
    });
    alice.dieAt('job.after:2');
    await expect(leaveNetwork()).rejects.toThrow();
    await alice.ended;
    alice = await world.start('alice', { options });
    expect(good(await world.whileMining(leaveNetwork()))).toMatchObject(
      PEERS.map(() => ({ state: 'closed', total_deposit: '20', balance: '20' })),
    );
    expect(await world.tokensOf(alice.address)).toBe(WEALTH);
  });

  it.each(walk(LIVES, (_, index) => index === 1))(
    'joins, matches and leaves once though it dies at $join, $match and $leave',
    async (points) => {
      const before = await transactionsSent();
      const events = (await world.events()).length;
      const gifts = await world.tokensOf(GUEST);
      for (const name of ['join', 'match', 'leave'] as const)
        await doAndDieAt(DEEDS[name], points[name]);
      expect(await transactionsSent()).toBe(before + TRANSACTIONS_OF_A_LIFE);
      const names = (await world.events()).slice(events).map(({ eventName }) => eventName);
      const times = (wanted: string) => names.filter((name) => name === wanted).length;
      expect([times('ChannelOpened'), times('ChannelNewDeposit')]).toEqual([4, 5]);
      expect([times('ChannelClosed'), times('ChannelSettled')]).toEqual([4, 4]);
      expect(await world.tokensOf(alice.address)).toBe(WEALTH);
      expect(await world.tokensOf(GUEST)).toBe(gifts + GIFT);
      expect(good(await alice.api.get('/connections'))).toEqual({});
    },
  );

  it('that is told to leave during a join, and dies, still closes the channels that it opens', async () => {
    const events = (await world.events()).length;
    void joinNetwork().catch(() => {});
    await until(() => ledger().jobs === PEERS.length, 'the channels are being opened');
    void leaveNetwork().catch(() => {});
    await until(() => alice.api.put(path(), { funds: '7' }).then(isBusy), 'it is leaving');
    await alice.kill();
    alice = await world.start('alice', { options });
    await until(async () => DEEDS.leave.isDone() || (await world.nudge()), 'nothing is left');
    const names = (await world.events()).slice(events).map(({ eventName }) => eventName);
    for (const name of ['ChannelOpened', 'ChannelClosed', 'ChannelSettled'])
      expect([name, names.filter((other) => other === name).length]).toEqual([name, 3]);
    expect(await world.tokensOf(alice.address)).toBe(WEALTH);
    expect(good(await world.whileMining(joinNetwork()))).toHaveLength(3);
  });
});

const isBusy = ({ status, body }: { status: number; body: unknown }) =>
  status === 409 && /leaving/.test(JSON.stringify(body));
