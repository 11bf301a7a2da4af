/** Two nodes in two processes with one channel, and what must be true of them whatever happens. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { expectMirrored, expectSamePayments, sumOf } from './agreement.ts';
import { type Answer, type Channel, channelIn } from './api.ts';
import { isAtRest, type Ledger, readLedger } from './ledger.ts';
import { type NodeProcess, SETTLE_TIMEOUT, type StartOptions, type World } from './processes.ts';
import { until } from './until.ts';

export type Name = 'alice' | 'bob';
export type Pair = Awaited<ReturnType<typeof startPair>>;

/** How many deposits each has outside of channels at the beginning. */
const WEALTH = 10n;

const otherThan = (name: Name): Name => (name === 'alice' ? 'bob' : 'alice');

/**
 * Starts both, each rich enough for several deposits; there is no channel yet. `options`: of both, unless bob has his
 * own.
 */
export async function startPair(
  world: World,
  deposit: bigint,
  options: StartOptions = {},
  bobs: StartOptions = options,
) {
  const { token } = world;
  const [alice, bob] = await Promise.all([world.start('alice', options), world.start('bob', bobs)]);
  const nodes = { alice, bob };
  const address = { alice: alice.address, bob: bob.address };
  await world.fund(address.alice, WEALTH * deposit);
  await world.fund(address.bob, WEALTH * deposit);

  const partnerOf = (name: Name) => address[otherThan(name)];
  const pathOf = (name: Name) => `/channels/${token}/${partnerOf(name)}`;
  const findChannel = (name: Name) => nodes[name].api.channel(token, partnerOf(name));
  const ledgerOf = (name: Name) => readLedger(join(world.folder, name, 'node.db'));
  const ledgers = () => [ledgerOf('alice'), ledgerOf('bob')] as const;
  /** Whether nothing is on its way: no payment, no message, no transaction. */
  const isQuiet = () => ledgers().every(isAtRest);

  async function channelOf(name: Name): Promise<Channel> {
    const channel = await findChannel(name);
    if (channel === null) throw new Error(`${name} knows no channel`);
    return channel;
  }

  async function setDeposit(name: Name, total: bigint): Promise<Channel> {
    const change = { total_deposit: String(total) };
    return channelIn(await world.whileMining(nodes[name].api.patch(pathOf(name), change)));
  }

  /** Opens a channel in which each has put `deposit`, and waits until both know. */
  async function open(): Promise<void> {
    const request = {
      token_address: token,
      partner_address: address.bob,
      total_deposit: String(deposit),
    };
    channelIn(await world.whileMining(nodes.alice.api.put('/channels', request)));
    await until(async () => (await findChannel('bob')) !== null, 'bob sees the channel');
    await setDeposit('bob', deposit);
    const knowsBoth = () =>
      ledgers().every(({ channels }) => channels.every(({ context }) => hasBoth(context, deposit)));
    await until(knowsBoth, 'both see both deposits');
  }

  async function histories() {
    const [alices, bobs] = [await nodes.alice.api.history(), await nodes.bob.api.history()];
    expectSamePayments(alices, bobs);
    expectSamePayments(bobs, alices);
    return { alices, bobs };
  }

  return {
    world,
    nodes,
    address,
    channelOf,
    findChannel,
    ledgerOf,
    isQuiet,
    setDeposit,
    open,
    /** Starts the process again, on the database that it left. It need not be ready, or live, yet. */
    async relaunch(name: Name, given: StartOptions = options): Promise<NodeProcess> {
      nodes[name] = await world.launch(name, given);
      return nodes[name];
    },
    async restart(name: Name, given: StartOptions = options): Promise<void> {
      nodes[name] = await world.start(name, given);
    },
    /** Both know of each other, so that what they say when they meet again has been said. */
    meet: () =>
      until(async () => {
        const channels = [await channelOf('alice'), await channelOf('bob')];
        return channels.every(({ network_state }) => network_state === 'reachable');
      }, 'both reach each other'),
    pay: (from: Name, amount: bigint, more: Record<string, unknown> = {}): Promise<Answer> =>
      nodes[from].api.post(`/payments/${token}/${partnerOf(from)}`, {
        amount: String(amount),
        ...more,
      }),
    /** To be given to `pay` of alice: a second route, the same as the first, so that the secret is not sent with the lock. */
    twice() {
      const path = { route: [address.alice, address.bob], address_metadata: {} };
      return { paths: [path, path] };
    },
    withdraw: (name: Name, total: bigint): Promise<Answer> =>
      nodes[name].api.patch(pathOf(name), { total_withdraw: String(total) }),
    close: async (name: Name): Promise<Channel> =>
      channelIn(await world.whileMining(nodes[name].api.patch(pathOf(name), { state: 'closed' }))),
    /** Once all that the close demands is done: lets the settle timeout pass, until nothing is left. */
    async settle(...names: Name[]): Promise<void> {
      const all = (isSo: (ledger: Ledger) => boolean) => () => names.map(ledgerOf).every(isSo);
      const who = names.join(' and ');
      const isDone = all(({ channels, jobs }) => jobs === 0 && channels.every(isPastOpening));
      await world.whileMining(until(isDone, `the close is done with for ${who}`));
      await world.mine(SETTLE_TIMEOUT);
      const isGone = all(({ channels, jobs }) => channels.length + jobs === 0);
      await world.whileMining(until(isGone, `the channel is gone for ${who}`));
    },
    /** What each has on disk of the other is what the other has of itself. */
    expectMirrored: () => expectMirrored(ledgerOf('alice').channels, ledgerOf('bob').channels),
    /** Waits until nothing is on its way in the one open channel: both agree to the unit. */
    async expectAgreement(): Promise<void> {
      await until(isQuiet, 'nothing is on its way');
      expectMirrored(ledgerOf('alice').channels, ledgerOf('bob').channels);
      const change = sumOf((await histories()).alices);
      expect((await channelOf('alice')).balance).toBe(deposit + change);
      expect((await channelOf('bob')).balance).toBe(deposit - change);
    },
    /** After the last channel: each holds what it began with and what the histories say it won or lost. */
    async expectTokens(): Promise<void> {
      const change = sumOf((await histories()).alices);
      expect(await world.tokensOf(address.alice)).toBe(WEALTH * deposit + change);
      expect(await world.tokensOf(address.bob)).toBe(WEALTH * deposit - change);
      expect(await world.tokensOf(world.tokenNetwork)).toBe(0n);
    },
  };
}

export function isPastOpening({ value }: Ledger['channels'][number]): boolean {
  return typeof value === 'string' && value !== 'closing' && value !== 'stale';
}

function hasBoth(
  { ownEnd, partnerEnd }: Ledger['channels'][number]['context'],
  deposit: bigint,
): boolean {
  return ownEnd.deposit === deposit && partnerEnd.deposit === deposit;
}
