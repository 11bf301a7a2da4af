import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDisk, type Disk } from '../../src/simulation/disk/disk.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import { openStore, type Store } from '../../src/store/open.ts';
import { STAMP } from '../support/store.ts';
import { answerOf, everythingIn, type StoreStep, storeStep } from '../support/store-steps.ts';

const LIMITS = { journalLimit: 6, feedLimit: 5 };
const ALL = Number.POSITIVE_INFINITY;
const steps = fc.array(storeStep, { maxLength: 14 });

/** A disk that keeps what the real store keeps under the same limits. */
function wholeDisk(): Disk {
  return createDisk({
    draw: createRandomness(1).of('disk'),
    journalLimit: LIMITS.journalLimit,
    kept: { journal: LIMITS.journalLimit, feed: LIMITS.feedLimit, payments: ALL, steps: ALL },
  });
}

/** Does the step with both; false: it failed, so that no commit is taken any more. */
function stepsAlike({ name, run }: StoreStep, model: Store, real: Store): boolean {
  const wanted = answerOf(() => run(real));
  const found = answerOf(() => run(model));
  expect(found, name).toEqual(wanted);
  expect(everythingIn(model), name).toEqual(everythingIn(real));
  return wanted !== 'thrown';
}

describe('the disk of a simulated node', () => {
  it('answers as a database in memory does, whatever is written to it', () => {
    let refused = 0;
    let taken = 0;
    const property = fc.property(steps, (list) => {
      const real = openStore({ url: ':memory:', stamp: STAMP, ...LIMITS });
      if (!real.ok) throw new Error(real.message);
      const model = wholeDisk().open(STAMP);
      for (const step of list)
        if (stepsAlike(step, model, real.store)) taken += 1;
        else refused += 1;
      real.store.close();
    });
    fc.assert(property, { numRuns: 150 });
    expect(taken).toBeGreaterThan(400);
    expect(refused).toBeGreaterThan(20);
  });
});
