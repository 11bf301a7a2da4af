/** Three nodes in three processes: alice pays carol over bob, and what must be true whatever happens. */
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import { amountToSend } from '../../src/protocol/fees/fees.ts';
import { expectMirrored } from './agreement.ts';
import { type Answer, channelIn, type PaymentEvent } from './api.ts';
import { isAtRest, type Ledger, readLedger } from './ledger.ts';
import { isPastOpening } from './pair.ts';
import { type NodeProcess, SETTLE_TIMEOUT, type StartOptions, type World } from './processes.ts';
import { until } from './until.ts';

const NAMES = ['alice', 'bob', 'carol'] as const;
export type Name = (typeof NAMES)[number];

const AMOUNT = 1_000n;
/** What bob takes for each payment. */
const FEE = 4n;
/** What alice pays for one: what is put aside in case that fees have risen reaches carol. */
const COST = amountToSend(AMOUNT, FEE);

/**
 * Starts all three and opens both channels; each has put `deposit` into each of its own. `env`: of all three.
 */
export async function startTrio(world: World, deposit: bigint, env: Record<string, string> = {}) {
  const { token } = world;
  const options: StartOptions = {
    env,
    options: {
      'flat-fee': [token, String(FEE)],
      'proportional-fee': [token, '0'],
      'proportional-imbalance-fee': [token, '0'],
    },
  };
  const start = (name: Name) => world.start(name, options);
  const nodes: Record<Name, NodeProcess> = {
    alice: await start('alice'),
    bob: await start('bob'),
    carol: await start('carol'),
  };
  const address: Record<Name, Address> = {
    alice: nodes.alice.address,
    bob: nodes.bob.address,
    carol: nodes.carol.address,
  };
  const wealth = { alice: deposit, bob: 2n * deposit, carol: deposit };
  for (const name of NAMES) await world.fund(address[name], wealth[name]);
  let identifier = 0n;

  const ledgerOf = (name: Name): Ledger => readLedger(join(world.folder, name, 'node.db'));
  const isQuiet = () => NAMES.map(ledgerOf).every(isAtRest);
  const pathTo = (partner: Name) => `/channels/${token}/${address[partner]}`;
  const channel = async (of: Name, partner: Name) => {
    const found = await nodes[of].api.channel(token, address[partner]);
    if (found === null) throw new Error(`${of} knows no channel with ${partner}`);
    return found;
  };

  async function open(opener: Name, partner: Name): Promise<void> {
    const request = {
      token_address: token,
      partner_address: address[partner],
      total_deposit: String(deposit),
    };
    channelIn(await world.whileMining(nodes[opener].api.put('/channels', request)));
    const isSeen = async () => (await nodes[partner].api.channel(token, address[opener])) !== null;
    await until(isSeen, `${partner} sees the channel`);
    const total = { total_deposit: String(deposit) };
    channelIn(await world.whileMining(nodes[partner].api.patch(pathTo(opener), total)));
    const isWhole = ({ channels }: Ledger) =>
      channels.every(
        ({ context }) => context.ownEnd.deposit + context.partnerEnd.deposit === 2n * deposit,
      );
    await until(() => [opener, partner].map(ledgerOf).every(isWhole), 'both deposits are seen');
  }
  await open('alice', 'bob');
  await open('bob', 'carol');

  const pay = (more: Record<string, unknown> = {}): Promise<Answer> => {
    identifier += 1n;
    const route = [address.alice, address.bob, address.carol];
    return nodes.alice.api.post(`/payments/${token}/${address.carol}`, {
      amount: String(AMOUNT),
      identifier: String(identifier),
      paths: [{ route, address_metadata: {}, fee: String(FEE) }],
      ...more,
    });
  };

  /** What the payments on record say that each has won; mediators have no such record. */
  async function changes(): Promise<Record<Name, bigint>> {
    const histories = await Promise.all([nodes.alice.api.history(), nodes.carol.api.history()]);
    const [sent, received] = histories.map(madeIn);
    if (!sent || !received) throw new Error('a history is missing');
    expect(sent.map(({ id }) => id).toSorted()).toEqual(received.map(({ id }) => id).toSorted());
    expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
    expect(received.filter(({ amount }) => amount !== COST - FEE)).toEqual([]);
    const count = BigInt(sent.length);
    return { alice: -COST * count, bob: FEE * count, carol: (COST - FEE) * count };
  }

  return {
    world,
    nodes,
    address,
    ledgerOf,
    isQuiet,
    pay,
    channel,
    restart: async (name: Name): Promise<void> => {
      nodes[name] = await start(name);
    },
    /** All neighbours know that the other is there. */
    meet: () =>
      until(async () => {
        const views = [
          await channel('alice', 'bob'),
          await channel('bob', 'alice'),
          await channel('bob', 'carol'),
          await channel('carol', 'bob'),
        ];
        return views.every(({ network_state }) => network_state === 'reachable');
      }, 'the neighbours reach each other'),
    /** How often carol was paid by the newest payment. */
    async timesPaid(): Promise<number> {
      const history = await nodes.carol.api.history();
      return history.filter((event) => 'identifier' in event && event.identifier === identifier)
        .length;
    },
    /** Waits until nothing is on its way: the books of neighbours agree, and bob has his fees exactly. */
    async expectAgreement(): Promise<void> {
      await until(isQuiet, 'nothing is on its way');
      const [alices, bobs, carols] = NAMES.map((name) => ledgerOf(name).channels);
      if (!alices || !bobs || !carols) throw new Error('a ledger is missing');
      expectMirrored(alices, bobs.slice(0, 1));
      expectMirrored(bobs.slice(1), carols);
      const change = await changes();
      expect((await channel('alice', 'bob')).balance).toBe(deposit + change.alice);
      expect((await channel('carol', 'bob')).balance).toBe(deposit + change.carol);
      const bobHas =
        (await channel('bob', 'alice')).balance + (await channel('bob', 'carol')).balance;
      expect(bobHas).toBe(2n * deposit + change.bob);
    },
    /** Closes and settles both channels: each holds what it began with and what it won. */
    async expectTokens(): Promise<void> {
      for (const partner of ['alice', 'carol'] as const)
        channelIn(
          await world.whileMining(nodes.bob.api.patch(pathTo(partner), { state: 'closed' })),
        );
      const all = (isSo: (ledger: Ledger) => boolean) => () => NAMES.map(ledgerOf).every(isSo);
      const isDone = all(({ channels, jobs }) => jobs === 0 && channels.every(isPastOpening));
      await world.whileMining(until(isDone, 'the closes are done with'));
      await world.mine(SETTLE_TIMEOUT);
      const isGone = all(({ channels, jobs }) => channels.length + jobs === 0);
      await world.whileMining(until(isGone, 'the channels are gone'));
      const change = await changes();
      for (const name of NAMES)
        expect(await world.tokensOf(address[name])).toBe(wealth[name] + change[name]);
      expect(await world.tokensOf(world.tokenNetwork)).toBe(0n);
    },
  };
}

/** The payments that were made, not those that failed. */
function madeIn(history: readonly PaymentEvent[]) {
  return history.flatMap((event) =>
    'identifier' in event ? [{ id: String(event.identifier), amount: event.amount }] : [],
  );
}
