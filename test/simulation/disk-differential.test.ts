import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDisk, type Disk } from '../../src/simulation/disk/disk.ts';
import { createFileDisk } from '../../src/simulation/disk/file-disk.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { STAMP, temporaryFolder } from '../support/store.ts';
import {
  answerOf,
  boundsIn,
  everythingIn,
  journaledCommit,
  type StoreStep,
  storeStep,
} from '../support/store-steps.ts';

const LIMITS = { journalLimit: 6, feedLimit: 5 };
const ALL = Number.POSITIVE_INFINITY;
const RUNS = Number(process.env['SLUICE_RUNS'] ?? 1);

/** A disk that keeps what the real store keeps under the same limits. */
function wholeDisk(): Disk {
  return createDisk({
    draw: createRandomness(1).of('disk'),
    journalLimit: LIMITS.journalLimit,
    kept: { journal: LIMITS.journalLimit, feed: LIMITS.feedLimit, payments: ALL, steps: ALL },
    losable: 20,
  });
}

type Pair = { model: Store; real: Store; hasFailed: boolean };

/** Does the step with both; false: it failed. */
function stepsAlike({ name, run }: StoreStep, pair: Pair): boolean {
  const { model, real } = pair;
  const wanted = answerOf(() => run(real));
  const found = answerOf(() => run(model));
  expect(found, name).toEqual(wanted);
  expect(everythingIn(model), name).toEqual(everythingIn(real));
  if (wanted === 'thrown' && name.startsWith('commit')) pair.hasFailed = true;
  if (!pair.hasFailed) expect(boundsIn(model), name).toEqual(boundsIn(real));
  return wanted !== 'thrown';
}

describe('the disk of a simulated node', () => {
  it('answers as a database in memory does, whatever is written to it', () => {
    const counts = { taken: 0, refused: 0 };
    const property = fc.property(fc.array(storeStep, { maxLength: 14 }), (list) => {
      const real = openStore({ url: ':memory:', stamp: STAMP, ...LIMITS });
      if (!real.ok) throw new Error(real.message);
      const pair = { model: wholeDisk().open(STAMP), real: real.store, hasFailed: false };
      for (const step of list) counts[stepsAlike(step, pair) ? 'taken' : 'refused'] += 1;
      real.store.close();
    });
    fc.assert(property, { numRuns: 150 * RUNS });
    expect(counts.taken).toBeGreaterThan(400);
    expect(counts.refused).toBeGreaterThan(20);
  });

  it('answers as a file does after its processes have ended, crashed or lost what was written', () => {
    const end = fc.constantFrom('close', 'crash');
    const life = fc.oneof(
      fc.record({ steps: fc.array(storeStep, { maxLength: 6 }), end, lost: fc.constant(0) }),
      fc.record({
        steps: fc.array(journaledCommit, { maxLength: 6 }),
        end: fc.constant('crash'),
        lost: fc.nat(3),
      }),
    );
    const lost = { model: 0, real: 0 };
    const property = fc.property(fc.array(life, { minLength: 2, maxLength: 4 }), (lives) => {
      const disks = { model: wholeDisk(), real: createFileDisk(temporaryFolder(), LIMITS) };
      for (const { steps, end, ...life } of lives) {
        const [model, real] = [disks.model.open(STAMP), disks.real.open(STAMP)];
        const pair = { model, real, hasFailed: false };
        expect(everythingIn(model)).toEqual(everythingIn(real));
        expect(boundsIn(model)).toEqual(boundsIn(real));
        const before = disks.model.writes();
        for (const step of steps) stepsAlike(step, pair);
        if (end === 'close') {
          model.close();
          real.close();
          continue;
        }
        // What the opening of a file writes counts, too, so no more than what the process wrote itself.
        const most = Math.min(life.lost, disks.model.writes() - before);
        lost.model += disks.model.crash(most);
        lost.real += disks.real.crash(most);
      }
      const [model, real] = [disks.model.open(STAMP), disks.real.open(STAMP)];
      expect(everythingIn(model)).toEqual(everythingIn(real));
      real.close();
    });
    fc.assert(property, { numRuns: 20 * RUNS });
    expect(lost.real).toBe(lost.model);
    expect(lost.real).toBeGreaterThan(10);
  });

  it('is again in an earlier state when it loses its last writes, or when a copy is put back', () => {
    const lists = fc.array(storeStep, { minLength: 2, maxLength: 12 });
    const property = fc.property(lists, fc.nat(11), (list, place) => {
      const disk = wholeDisk();
      const store = disk.open(STAMP);
      const seen = [everythingIn(store)];
      const copies = [disk.copy()];
      for (const { run } of list) {
        const before = disk.writes();
        answerOf(() => run(store));
        if (disk.writes() === before) continue;
        seen.push(everythingIn(store));
        copies.push(disk.copy());
      }
      const kept = place % seen.length;
      const lost = seen.length - 1 - kept;
      expect(disk.crash(lost)).toBe(lost);
      expect(everythingIn(disk.open(STAMP))).toEqual(seen[kept]);
      disk.crash();
      copies.at(-1)?.();
      expect(everythingIn(disk.open(STAMP))).toEqual(seen.at(-1));
    });
    fc.assert(property, { numRuns: 150 * RUNS });
  });
});
