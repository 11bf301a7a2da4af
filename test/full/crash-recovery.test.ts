/**
 * kill -9 during a payment, and again at every commit of the recovery from it.
 *
 * After a commit is where most can be lost: the state is on disk, and nothing that it demands was done.
 * Death before the next commit differs from it only by messages that left, which is a point of its own.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crashesOf } from '../support/crashes.ts';
import { type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { tapWire, type Wiretap } from '../support/wiretap.ts';

const POINT = 'commit.after';

let world: World;
let pair: Pair;
let crashes: ReturnType<typeof crashesOf>;
let wire: Wiretap;

beforeAll(async () => {
  world = await startWorld();
  pair = await startPair(world, 1_000n);
  await pair.open();
  crashes = crashesOf(pair);
  wire = await tapWire(world);
});
afterAll(async () => {
  await wire?.stop();
  await world?.stop();
});

describe('a payment', () => {
  it.each(['alice', 'bob'] as const)(
    'ends once when %s dies after any commit, and again after each of its recovery',
    async (victim) => {
      let deaths = 0;
      let recoveries = 0;
      for (;;) {
        await crashes.comeToRest();
        const { hasDied, isPaid } = await crashes.payAndDieAt(victim, `${POINT}:${deaths + 1}`);
        if (!hasDied) break;
        deaths += 1;
        recoveries += await crashes.recoverAndDieAt(victim, POINT);
        await crashes.expectOneEnd(isPaid());
      }
      expect(deaths).toBeGreaterThanOrEqual(2);
      expect(recoveries).toBeGreaterThanOrEqual(deaths);
    },
    240_000,
  );

  it('never has two different signed messages with one nonce, however often it is resumed', () => {
    expect(wire.heard()).toBeGreaterThan(10);
    expect(wire.conflicts()).toEqual([]);
  });
});
