/**
 * kill -9 of a payee that comes online after its silent payer has closed, with a lock pending whose secret
 * it knows: it brings its balance proof, registers the secret, settles and unlocks, each once.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Pair, startPair } from '../support/pair.ts';
import { SETTLE_TIMEOUT, startWorld, type World } from '../support/processes.ts';
import { until } from '../support/until.ts';
import { walk } from '../support/walks.ts';

/** As far as they leave different things behind. */
const POINTS = [
  'job.after',
  'transaction.signed',
  'transaction.saved',
  'transaction.sent',
  'transaction.mined',
  'commit.after',
];

let world: World;
let pair: Pair;

beforeAll(async () => {
  world = await startWorld();
  pair = await startPair(world, 1_000n);
});
afterAll(() => world?.stop());

/** Ten paid, five locked with a secret that bob knows, and alice has closed; both are gone. */
async function leaveDispute(): Promise<void> {
  await pair.open();
  await pair.meet();
  expect((await pair.pay('alice', 10n)).status).toBe(200);
  await until(pair.isQuiet, 'the payment is over');
  pair.nodes.alice.dieAt('receive.before:2');
  await expect(pair.pay('alice', 5n)).rejects.toThrow();
  await Promise.all([pair.nodes.alice.ended, pair.nodes.bob.kill()]);
  await pair.restart('alice');
  await pair.close('alice');
  await pair.nodes.alice.kill();
}

/**
 * Starts bob again and again, each time to die one meeting later; tells how often he died. The chain only
 * moves while he is up: what matters here is what he does again, not whether a deadline has passed.
 */
async function liveAndDieAt(point: string, isDone: () => boolean): Promise<number> {
  for (let deaths = 0; ; deaths++) {
    pair.nodes.bob.dieAt(`${point}:${deaths + 1}`);
    const bob = await pair.relaunch('bob');
    const isOver = async () => bob.isReady() && (isDone() || world.nudge());
    await until(async () => bob.isOver() || (await isOver()), `bob is done or dies at ${point}`);
    bob.spare();
    if (await bob.survives()) return deaths;
  }
}

const isClaimed = () => {
  const { channels, jobs } = pair.ledgerOf('bob');
  return jobs === 0 && channels.every(({ value }) => value === 'closed');
};
const isGone = () => {
  const { channels, jobs } = pair.ledgerOf('bob');
  return jobs + channels.length === 0;
};

describe('a payee', () => {
  it.each(walk(POINTS, (point) => point === 'transaction.sent'))(
    'gets what it is owed, once, though it dies at %s over and over',
    async (point) => {
      await leaveDispute();
      const before = (await world.events()).length;
      const secrets = (await world.secrets()).length;
      const sent = () => world.chain.client.getTransactionCount({ address: pair.address.bob });
      const sentBefore = await sent();
      const deaths = await liveAndDieAt(point, isClaimed);
      expect(deaths).toBeGreaterThan(0);
      expect(await world.secrets()).toHaveLength(secrets + 1);
      await pair.nodes.bob.kill();
      await world.mine(SETTLE_TIMEOUT);
      expect(await liveAndDieAt(point, isGone)).toBeGreaterThan(0);
      expect((await world.events()).slice(before)).toMatchObject([
        { eventName: 'NonClosingBalanceProofUpdated' },
        { eventName: 'ChannelSettled' },
        { eventName: 'ChannelUnlocked', args: { unlockedAmount: 5n, returnedTokens: 0n } },
      ]);
      // Update, secret, settlement, unlock.
      expect(await sent()).toBe(sentBefore + 4);
      await pair.restart('alice');
      await pair.settle('alice');
      await pair.expectTokens();
    },
    120_000,
  );
});
