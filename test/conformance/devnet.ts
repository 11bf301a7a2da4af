/** The devnet of the conformance table: a chain, nodes, and what the names in rows stand for. */

import * as v from 'valibot';
import type { Fault } from '../../src/basics/fault.ts';
import {
  type Address,
  parseAddress,
  type Secret,
  ZERO_ADDRESS,
  ZERO_HASH,
} from '../../src/basics/hex.ts';
import { mintTokens, registerNewToken } from '../../src/contracts/tokens.ts';
import type { DevnetChain } from '../../src/devnet/chain/set-up-chain.ts';
import { createAccounts } from '../../src/devnet/network/accounts.ts';
import { type Bus, createBus } from '../../src/partner/bus.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import { type Api, apiAt, good } from '../support/api.ts';
import { anvilCall } from '../support/chain.ts';
import { whileMining } from '../support/mining.ts';
import { until } from '../support/until.ts';
import { startBroken } from './broken.ts';
import { CONTRACTS, type Ground, type GroundChain } from './ground.ts';
import { createNodes, NODE_NAMES, type NodeName, type Place } from './nodes.ts';
import { channel } from './objects.ts';

const RICH: readonly NodeName[] = ['alice', 'bob', 'carol', 'gasless'];
/** Between two blocks that are mined for nothing but time to pass. */
const BLOCK_PAUSE_MS = 80;
/** Blocks that the chain makes in one call. */
const MOST_AT_ONCE = 100;
const WEI = 10n ** 18n;
/** Units per participant of a channel, and in the whole token network. */
const SMALL_LIMITS = { participantLimit: 100n, networkLimit: 150n };

/** Told to everybody on chain. */
export const KNOWN_SECRET = `0x${'6f'.repeat(32)}` as const;

export type Devnet = Awaited<ReturnType<typeof startDevnet>>;
/** `inTurn`: the nodes that handle one call after the other; the others handle several at once. */
type Choices = { inTurn?: readonly NodeName[] };

export async function startDevnet(ground: Ground, { inTurn = [] }: Choices = {}) {
  const wire = createMutableBus();
  const nodes = createNodes(ground, createAccounts(NODE_NAMES.length), wire.bus, inTurn);
  const { addressOf } = nodes;
  const set = await ground.setUpChain(RICH.map(addressOf));
  const { chain, clients, connection } = set;
  const small = await createSmallToken(set, addressOf('alice'));
  const giveGas = (name: NodeName, wei: bigint) =>
    anvilCall(connection, 'anvil_setBalance', addressOf(name), `0x${wei.toString(16)}`);
  await giveGas('penniless', WEI);
  await giveGas('busy', WEI);
  await giveGas('gasless', 0n);
  let broken: ReturnType<typeof startBroken> | null = null;
  let mainNetwork: ReturnType<Ground['startMainNetwork']> | null = null;
  let lastUrl = '';

  const names = namesOf(chain).set('small', small);
  names.set('partner_address', addressOf('bob')).set('target_address', addressOf('bob'));
  for (const name of NODE_NAMES) names.set(name, addressOf(name));
  const filled = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = names.get(name) ?? someoneCalled(name);
      if (value === null) throw new Error(`nobody knows what {${name}} is`);
      return value;
    });

  /** The chain that the node works on. */
  async function chainOf(name: NodeName): Promise<DevnetChain> {
    if (name !== 'mainNetwork') return chain;
    mainNetwork ??= ground.startMainNetwork(addressOf(name));
    const { chain: main } = await mainNetwork;
    names.set('mainToken', main.tokens[0]?.address ?? '');
    return main;
  }

  async function placeOf(name: NodeName): Promise<Place> {
    if (name !== 'broken') return nodes.place(await chainOf(name), name);
    const open = (fault: Fault) => nodes.openFailing(chain, name, fault);
    broken ??= startBroken({ ...ground, open, whileMining: moveChain });
    return (await broken).serve();
  }

  /** Where the node takes calls. */
  async function urlOf(name: NodeName): Promise<string> {
    lastUrl = (await placeOf(name)).url;
    return lastUrl;
  }

  async function mine(blocks: number): Promise<void> {
    for (let left = blocks; left > 0; left -= MOST_AT_ONCE) {
      const next = Math.min(left, MOST_AT_ONCE);
      await anvilCall(connection, 'anvil_mine', `0x${next.toString(16)}`);
    }
  }

  /** Mines blocks until the work is done, which waits for confirmations. */
  const moveChain = <T>(work: Promise<T>): Promise<T> =>
    whileMining(() => mine(1), BLOCK_PAUSE_MS, work);

  return {
    chain,
    clients,
    names,
    filled,
    addressOf,
    giveGas,
    whileMining: moveChain,
    createMintable: set.createMintable,
    urlOf,
    wasToldToStop: nodes.wasToldToStop,
    /** Where the last call went. */
    lastUrl: () => lastUrl,
    mute: (name: NodeName) => wire.mute(addressOf(name)),
    unmute: (name: NodeName) => wire.unmute(addressOf(name)),
    /** From now on the node does not reach the other: it cannot even ask whether that is online. */
    cut: (name: NodeName, other: string) => wire.bus.cut(addressOf(name), parsed(filled(other))),
    /** The node's API; `call` is a method and a path with names, and the body may hold names, too. */
    api: async (name: NodeName): Promise<Api> => apiAt(await urlOf(name)),
    /** A call of a node that is expected to be good; answers its body. */
    async do(name: NodeName, call: string, json?: unknown): Promise<unknown> {
      const [method = '', path = ''] = filled(call).split(' ');
      const raw = json === undefined ? {} : { raw: filled(JSON.stringify(json)) };
      const api = apiAt(await urlOf(name));
      // Blocks may come faster here than this machine lets nodes follow.
      await until(async () => (await api.status()) === 'ready', `${name} is ready`);
      const asked = api.ask({ method, path, ...raw });
      // A lock must not expire because this machine is slow.
      return good(await (path.startsWith('/payments') ? asked : moveChain(asked)));
    },
    /** Lets the settle timeout of alice's closed channel pass, until she has settled it. */
    async settle(partner: string): Promise<void> {
      const path = filled(`/channels/{token}/${partner}`);
      const alice = apiAt(await urlOf('alice'));
      const { settle_timeout } = v.parse(channel, good(await alice.get(path)));
      await mine(Number(settle_timeout));
      const isGone = async () => (await alice.get(path)).status === 404;
      await moveChain(until(isGone, 'the channel is settled'));
    },
    mine,
    async stop() {
      await nodes.stop();
      await (await mainNetwork)?.stop();
      await set.stop();
    },
  };
}

/** A registered token of whose units hardly any may be deposited. */
async function createSmallToken({ clients, chain, createToken }: GroundChain, owner: Address) {
  const small = await createToken('SML');
  const registry = chain.contracts.tokenNetworkRegistryAddress;
  await registerNewToken(clients, registry, small, SMALL_LIMITS);
  await mintTokens(clients, small, owner, 1_000n);
  return small;
}

/**
 * A bus on which nodes can be muted: they hear everything, and what they send arrives once they are unmuted.
 */
function createMutableBus() {
  const inner = createBus();
  const held = new Map<Address, (() => void)[]>();
  const bus: Bus = {
    ...inner,
    connect(address) {
      const transport = inner.connect(address);
      return {
        ...transport,
        publish(to, payload) {
          const copy = payload.slice();
          const say = () => transport.publish(to, copy);
          const waiting = held.get(address);
          if (waiting === undefined) say();
          else waiting.push(say);
        },
      };
    },
  };
  return {
    bus,
    mute: (address: Address) => void held.set(address, held.get(address) ?? []),
    unmute(address: Address) {
      const waiting = held.get(address) ?? [];
      held.delete(address);
      for (const say of waiting) say();
    },
  };
}

function namesOf(chain: DevnetChain): Map<string, string> {
  const token = chain.tokens[0];
  const [second = '', third = ''] = chain.unregisteredTokens;
  if (token === undefined) throw new Error('there is no token');
  return new Map<string, string>([
    ['token_address', token.address],
    ['token', token.address],
    ['tokenNetwork', token.tokenNetwork],
    // Without a token network; one row registers the second.
    ...([
      ['second', second],
      ['third', third],
    ] as const),
    ['serviceToken', chain.contracts.serviceTokenAddress],
    // Has code, and is no token.
    ['contract', chain.contracts.secretRegistryAddress],
    ['zero', ZERO_ADDRESS],
    ['zeroHash', ZERO_HASH],
    ['tokenLower', token.address.toLowerCase()],
    ['tokenBare', token.address.slice(2)],
    ['tokenShort', token.address.slice(0, -1)],
    ['above256', String(2n ** 256n)],
    ['above64', String(2n ** 64n)],
    ['wholeLimit', String(1_000n * 10n ** 18n)],
    ['aboveDepositLimit', String(CONTRACTS.userDepositLimit + 1n)],
    ['aboveLimit', String(1_000n * 10n ** 18n + 1n)],
    ['userDeposit', chain.contracts.userDepositAddress],
    ['hashOfSecret', secrethashOf(secretOf('1a'))],
    ['otherSecret', secretOf('1b')],
    ['hashOfOtherSecret', secrethashOf(secretOf('1b'))],
    ['freshSecret', secretOf('1c')],
    ['usedSecret', `0x${'5e'.repeat(32)}`],
    ['knownSecret', KNOWN_SECRET],
  ]);
}

function parsed(text: string): Address {
  const address = parseAddress(text);
  if (address === null) throw new Error(`${text} is no address`);
  return address;
}

const secretOf = (digits: string): Secret => `0x${digits.repeat(32)}`;

/** The address of a name without a node: `someone1`, `someone2`, …; null for other names. */
function someoneCalled(name: string): string | null {
  const number = /^someone(\d+)$/.exec(name)?.[1];
  if (number === undefined) return null;
  return parseAddress(`0x${number.padStart(40, '5')}`);
}
