/** Deaths during a withdraw, on either side: after the restart it ends, once, and nothing is lost. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAtRest } from '../support/ledger.ts';
import { type MortalPair, type Name, startMortalPair } from '../support/mortal-pair.ts';
import { good, startVirtualNetwork, type VirtualNetwork } from '../support/network.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 1_000n;
const WEALTH = 10n * DEPOSIT;
const TOTAL = 7n;

/** Who dies where, and which time that it comes there. Alice withdraws with the consent of bob. */
const DEATHS: [Name, string, number][] = [
  ['alice', 'commit.before', 1],
  ['alice', 'commit.after', 1],
  ['alice', 'commit.before', 2],
  ['alice', 'commit.after', 2],
  ['alice', 'commit.after', 3],
  ['alice', 'publish.before', 1],
  ['alice', 'publish.after', 1],
  ['alice', 'receive.before', 1],
  ['alice', 'job.before', 1],
  ['alice', 'job.after', 1],
  ['alice', 'transaction.saved', 1],
  ['alice', 'transaction.sent', 1],
  ['alice', 'transaction.mined', 1],
  ['alice', 'reply.before', 1],
  ['bob', 'receive.before', 1],
  ['bob', 'commit.before', 1],
  ['bob', 'commit.after', 1],
  ['bob', 'publish.before', 1],
  ['bob', 'publish.after', 1],
];

let network: VirtualNetwork;
let pair: MortalPair;

beforeEach(async () => {
  network = startVirtualNetwork();
  pair = await startMortalPair(network, DEPOSIT);
  await pair.open();
  await until(isOver, 'the chain is read');
});
afterEach(() => network?.stop());

/** Whether nothing is under way, and no consent is open. */
const isOver = () =>
  [pair.nodes.alice, pair.nodes.bob].every((node) => {
    const ledger = node.ledger();
    const ends = ledger.channels.flatMap(({ context }) => [context.ownEnd, context.partnerEnd]);
    return isAtRest(ledger) && ends.every(({ withdraws }) => withdraws.length === 0);
  });

const withdraw = () => {
  const { alice, bob } = pair.nodes;
  return alice.ask((node) => node.withdraw(network.token, bob.address, TOTAL));
};

/** The totals that alice has on chain, each by one event. */
async function totalsOnChain(): Promise<bigint[]> {
  return (await pair.events()).flatMap((event) =>
    event.eventName === 'ChannelWithdraw' ? [event.args.totalWithdraw] : [],
  );
}

/** What is out of the channel and what is in it add up, and both sides see the same. */
async function expectAgreement(): Promise<void> {
  await until(isOver, 'nothing is on its way');
  pair.expectMirrored();
  expect(pair.channelOf('alice')).toMatchObject({
    balance: DEPOSIT - TOTAL,
    totalWithdraw: TOTAL,
  });
  expect(pair.channelOf('bob').balance).toBe(DEPOSIT);
  expect(await network.tokensOf('alice')).toBe(WEALTH - DEPOSIT + TOTAL);
  expect(await network.tokensInChannels()).toBe(2n * DEPOSIT - TOTAL);
  expect(await totalsOnChain()).toEqual([TOTAL]);
}

describe('a withdraw', () => {
  it.each(DEATHS)('ends once though %s dies at %s %i', async (victim, point, nth) => {
    const node = pair.nodes[victim];
    node.dieAt(point, nth);
    const answers: boolean[] = [];
    void withdraw().then(({ ok }) => answers.push(ok));
    await network.whileMining(until(node.isOver, `${victim} dies at ${point}`));
    await node.start();
    await network.whileMining(until(isOver, 'the withdraw is over'));
    expect(answers).not.toContain(false);
    // A caller without an answer asks again. The withdraw was made, unless it was never on disk.
    const isLost = victim === 'alice' && point === 'commit.before' && nth === 1;
    expect(await totalsOnChain()).toEqual(isLost ? [] : [TOTAL]);
    good(await network.whileMining(withdraw()));
    await expectAgreement();
  });

  it('that five callers ask for at the same time is made once', async () => {
    const calls = Array.from({ length: 5 }, withdraw);
    for (const answer of await network.whileMining(Promise.all(calls)))
      expect(good(answer).totalWithdraw).toBe(TOTAL);
    await expectAgreement();
  });
});
