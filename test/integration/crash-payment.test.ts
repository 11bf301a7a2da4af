/** kill -9 in the middle of a payment, on either side: the payment ends, and both sides agree. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crashesOf } from '../support/crashes.ts';
import { type Name, type Pair, startPair } from '../support/pair.ts';
import { startWorld, type World } from '../support/processes.ts';
import { tapWire, type Wiretap } from '../support/wiretap.ts';

/**
 * Who dies where, and how often a payment of five messages meets that point at least: a commit and a message of the payer, and
 * a message that its partner receives. Deaths at every other point are simulated.
 */
const POINTS: [Name, string, number][] = [
  ['alice', 'commit.after', 2],
  ['alice', 'publish.after', 2],
  ['bob', 'receive.after', 2],
];

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
  it.each(POINTS)(
    'ends once when %s dies at %s, whichever time',
    async (victim, point, least) => {
      let deaths = 0;
      for (;;) {
        await crashes.comeToRest();
        const { hasDied, isPaid } = await crashes.payAndDieAt(victim, `${point}:${deaths + 1}`);
        if (!hasDied) break;
        deaths += 1;
        await pair.restart(victim);
        await crashes.expectOneEnd(isPaid());
      }
      expect(deaths).toBeGreaterThanOrEqual(least);
    },
    120_000,
  );

  it('never has two different signed messages with one nonce, however often it is resumed', () => {
    expect(wire.heard()).toBeGreaterThan(10);
    expect(wire.conflicts()).toEqual([]);
  });
});
