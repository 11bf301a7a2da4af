import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTally, EXPECTED, plansOf } from './plans.ts';
import { finish, newWorld, play } from './runs.ts';

/** `SLUICE_MODEL_RUNS` asks for more. */
const RUNS = Number(process.env['SLUICE_MODEL_RUNS'] ?? 400);

const tally = createTally();

describe('two ends of a channel over a bad wire', () => {
  it('lose nothing, make nothing and agree in the end', { timeout: 3_600_000 }, () => {
    const { settings, actions } = plansOf(2);
    const property = fc.property(settings, actions, (given, plan) => {
      const world = newWorld(given);
      play(world, plan);
      finish(world);
      tally.note(world);
    });
    fc.assert(property, { numRuns: RUNS });
  });

  it('have met every fault and every turn of events', () => {
    if (process.env['SLUICE_MODEL_RUNS'] !== undefined) console.table(tally.table());
    expect(tally.missing(EXPECTED)).toEqual([]);
  });
});
