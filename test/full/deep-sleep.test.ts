/**
 * A process that is stopped (SIGSTOP, a closed laptop) while the world goes on. What it does when it wakes is
 * in this order: the chain, then deadlines, then messages; it promises nothing before it knows the chain.
 */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from '../../src/store/history/journal.ts';
import { withCopy } from '../support/database-copy.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { startPair } from '../support/pair.ts';
import { SETTLE_TIMEOUT, startWorld, type World } from '../support/processes.ts';
import { startTrio } from '../support/trio.ts';
import { until } from '../support/until.ts';

const DEPOSIT = 10_000n;
/** Of the payer's lock, in blocks; less than the settle timeout also for a node that is some blocks behind. */
const LIFETIME = SETTLE_TIMEOUT - 4n;
/** So few blocks are left of the payer's lock that its secret could not be registered any more. */
const TOO_LATE = LIFETIME - 8n;
const NIGHT_HOURS = 10;
const NAP_HOURS = 1 / 6;

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world?.stop());

describe('a mediator that sleeps for ten hours', () => {
  it('passes on no lock that arrived while it slept and is about to expire', async () => {
    const clock = createMovedClock(world.folder);
    const trio = await startTrio(world, DEPOSIT, clock.env);
    const { bob } = trio.nodes;
    await trio.meet();
    const bobsLocks = (end: 'ownEnd' | 'partnerEnd') =>
      trio.ledgerOf('bob').channels.flatMap(({ context }) => context[end].locks);

    bob.pause();
    const paying = trio.pay({ lock_timeout: String(LIFETIME) });
    const hasLocked = () =>
      trio.ledgerOf('alice').channels.some(({ context }) => context.ownEnd.locks.length > 0);
    await until(hasLocked, 'alice has locked');
    await world.mine(TOO_LATE);
    const wakeBlock = await head();
    clock.pass(NIGHT_HOURS);
    bob.resume();

    const hasRead = async () => trio.ledgerOf('bob').block >= (await head()) - 1n;
    await until(hasRead, 'bob has read the chain');
    await until(() => bobsLocks('partnerEnd').length === 1, 'bob takes the lock');
    // Bob reads the chain first, and only then the messages that arrived meanwhile.
    const [taken] = blocksOf(join(world.folder, 'bob', 'node.db'), 'msg.update');
    expect(taken).toBeGreaterThanOrEqual(wakeBlock - 1n);
    await world.mine(1n);
    await until(hasRead, 'bob has read another block');
    expect(bobsLocks('ownEnd')).toEqual([]);
    expect((await world.whileMining(paying)).status).toBe(409);
    await trio.expectAgreement();
    expect(await bob.api.status()).toBe('ready');
    await trio.meet();
    expect(await trio.pay()).toMatchObject({ status: 200 });
    await trio.expectAgreement();
  });
});

describe('a payee that sleeps for ten minutes while its payer closes', () => {
  it('brings its balance proof and the secret that it knows on chain in time, and is paid in full', async () => {
    const clock = createMovedClock(world.folder);
    const pair = await startPair(world, DEPOSIT, { env: clock.env });
    const { bob } = pair.nodes;
    await pair.open();
    await pair.meet();
    expect((await pair.pay('alice', 10n)).status).toBe(200);
    await until(pair.isQuiet, 'the payment is over');
    // Bob has the secret from her lock; she dies as he shows it to her.
    pair.nodes.alice.dieAt('receive.before:2');
    await expect(pair.pay('alice', 5n)).rejects.toThrow();
    await pair.nodes.alice.ended;
    const secrets = (await world.secrets()).length;

    bob.pause();
    await pair.restart('alice');
    await pair.close('alice');
    clock.pass(NAP_HOURS);
    bob.resume();
    const isClaimed = () => {
      const { channels, jobs } = pair.ledgerOf('bob');
      return jobs === 0 && channels.every(({ value }) => value === 'closed');
    };
    await world.whileMining(until(isClaimed, 'bob has claimed'));
    expect(await world.secrets()).toHaveLength(secrets + 1);
    await pair.settle('alice', 'bob');
    const paid = (await world.events()).filter(({ eventName }) => eventName === 'ChannelUnlocked');
    expect(paid).toMatchObject([{ args: { unlockedAmount: 5n } }]);
    expect(await world.tokensOf(pair.address.bob)).toBe(10n * DEPOSIT + 15n);
  });
});

/** The newest confirmed block, as the node knew it, at each event of this type. */
function blocksOf(database: string, type: string): bigint[] {
  return withCopy(database, (path) => {
    const journal = openJournal(path);
    try {
      const steps = journal.after(0, Number.MAX_SAFE_INTEGER);
      const begin = `{"type":"${type}"`;
      return steps.filter(({ event }) => event.startsWith(begin)).map(({ block }) => block);
    } finally {
      journal.close();
    }
  });
}

const head = () => world.chain.client.getBlockNumber({ cacheTime: 0 });
