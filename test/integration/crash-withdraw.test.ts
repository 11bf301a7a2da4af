/** kill -9 during a withdraw, on either side: after the restart it ends, once, and nothing is lost. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelIn } from '../support/api.ts';
import { isAtRest } from '../support/ledger.ts';
import { type Name, type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { walk } from '../support/walks.ts';

const DEPOSIT = 1_000n;
const WEALTH = 10n * DEPOSIT;
/** So many blocks that no slow restart lets a consent run out. */
const OPTIONS = {
  options: { 'default-reveal-timeout': '1000', 'default-settle-timeout': '2000' },
};

/** Who dies where, and which time that it comes there. Alice withdraws with the consent of bob. */
const DEATHS: [Name, string][] = [
  ['alice', 'commit.before:1'],
  ['alice', 'commit.after:1'],
  ['alice', 'commit.before:2'],
  ['alice', 'commit.after:2'],
  ['alice', 'commit.after:3'],
  ['alice', 'publish.before:1'],
  ['alice', 'publish.after:1'],
  ['alice', 'receive.before:1'],
  ['alice', 'job.before:1'],
  ['alice', 'job.after:1'],
  ['alice', 'transaction.saved:1'],
  ['alice', 'transaction.sent:1'],
  ['alice', 'transaction.mined:1'],
  ['alice', 'reply.before:1'],
  ['bob', 'receive.before:1'],
  ['bob', 'commit.before:1'],
  ['bob', 'commit.after:1'],
  ['bob', 'publish.before:1'],
  ['bob', 'publish.after:1'],
];

/** A commit of each, a message, a transaction. */
const isFew = ([victim, point]: (typeof DEATHS)[number]) =>
  point === 'commit.after:1' || (victim === 'alice' && /^(receive|transaction.sent)/.test(point));

let world: World;
let pair: Pair;
let total = 0n;

beforeAll(async () => {
  world = await startWorld();
  pair = await startPair(world, DEPOSIT, OPTIONS);
  await pair.open();
  await pair.meet();
});
afterAll(() => world?.stop());

/** Whether nothing is under way, and no consent is open. */
const isOver = () =>
  [pair.ledgerOf('alice'), pair.ledgerOf('bob')].every((ledger) => {
    const ends = ledger.channels.flatMap(({ context }) => [context.ownEnd, context.partnerEnd]);
    return isAtRest(ledger) && ends.every(({ withdraws }) => withdraws.length === 0);
  });

/**
 * Whether alice has the withdraw on disk. The test mines no block before: its commit would be counted instead.
 */
const isBegun = () => {
  const [channel] = pair.ledgerOf('alice').channels;
  return channel !== undefined && channel.context.ownEnd.withdraws.length > 0;
};

/** The totals that alice has on chain, each by one event. */
async function totalsOnChain(): Promise<bigint[]> {
  const events = await world.events();
  return events.flatMap((event) =>
    event.eventName === 'ChannelWithdraw' ? [event.args.totalWithdraw] : [],
  );
}

/** What is out of the channel and what is in it add up, and both sides see the same. */
async function expectAgreement(): Promise<void> {
  await pair.expectMirrored();
  const { balance, total_withdraw } = await pair.channelOf('alice');
  expect(total_withdraw).toBe(total);
  expect(balance).toBe(DEPOSIT - total);
  expect(await world.tokensOf(pair.address.alice)).toBe(WEALTH - DEPOSIT + total);
  expect(await world.tokensOf(world.tokenNetwork)).toBe(2n * DEPOSIT - total);
  expect((await pair.channelOf('bob')).balance).toBe(DEPOSIT);
}

describe('a withdraw', () => {
  it.each(walk(DEATHS, isFew))(
    'ends once though %s dies at %s',
    async (victim, point) => {
      total += 1n;
      const node = pair.nodes[victim];
      let status: number | null = null;
      node.dieAt(point);
      pair.withdraw('alice', total).then(
        (answer) => {
          status = answer.status;
        },
        () => {},
      );
      const isDead = async () => node.isOver() || (isBegun() && (await world.nudge()));
      await until(isDead, `${victim} dies at ${point}`);
      const isOnDisk = isBegun();
      await pair.restart(victim);
      await until(async () => isOver() || (await world.nudge()), 'the withdraw is over');
      if (status !== null) expect(status).toBe(200);
      await pair.meet();
      // A caller without an answer asks again. The withdraw was made, unless it was never on disk.
      const times = (await totalsOnChain()).filter((one) => one === total).length;
      // The first commit may be that of a block which came at the same time.
      const isLost = victim === 'alice' && point.startsWith('commit.') && point.endsWith(':1');
      expect(times).toBe(isLost && !isOnDisk ? 0 : 1);
      const again = await world.whileMining(pair.withdraw('alice', total));
      expect(channelIn(again).total_withdraw).toBe(total);
      await until(isOver, 'nothing is on its way');
      await expectAgreement();
    },
    60_000,
  );

  it('is on chain once for each of these deaths', async () => {
    const expected = Array.from({ length: Number(total) }, (_, index) => BigInt(index + 1));
    expect(expected.length).toBeGreaterThan(2);
    expect(await totalsOnChain()).toEqual(expected);
  });

  it('that five callers ask for at the same time is made once', async () => {
    total += 10n;
    const calls = Array.from({ length: 5 }, () => pair.withdraw('alice', total));
    const answers = await world.whileMining(Promise.all(calls));
    for (const answer of answers) expect(channelIn(answer).total_withdraw).toBe(total);
    expect((await totalsOnChain()).filter((one) => one === total)).toHaveLength(1);
    await until(isOver, 'nothing is on its way');
    await expectAgreement();
  });
});
