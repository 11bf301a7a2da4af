/** Whole runs on two disks at a time: the quick tables in memory, and the node's own store on files. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createDisk } from '../../src/simulation/disk/disk.ts';
import { createFileDisk } from '../../src/simulation/disk/file-disk.ts';
import { createDisks, type Disks } from '../../src/simulation/run/disks.ts';
import { mixScenario } from '../../src/simulation/run/mix/mix.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { createTwinDisk, type OnDifference } from './twin-disk.ts';

/** `SLUICE_RUNS=300` runs so many worlds. */
const SEEDS = Number(process.env['SLUICE_RUNS'] ?? 1);
const TIMEOUT_MS = 120_000 * SEEDS;
const LIMITS = { journalLimit: 32, feedLimit: 32 };
const ALL = Number.POSITIVE_INFINITY;
/** Written in files only later, or by another hand: only memory can do that. */
const APART = ['disk_late', 'corrupt_row'];

/** `folder`: for the files. */
function twinDisks(
  folder: string,
  seed: number,
  on: { difference: OnDifference; commit(): void },
): Disks {
  const { faults } = mixScenario(seed);
  if (faults.some(({ kind }) => APART.includes(kind))) return createDisks(false, faults);
  const losable = Math.max(0, ...faults.map((one) => ('commits' in one ? one.commits : 0)));
  let made = 0;
  return {
    mayBeLate: false,
    make(name, draw, book) {
      const { journalLimit } = LIMITS;
      const kept = { payments: ALL, steps: ALL };
      // What a replica is told differs between the two.
      if (book !== undefined) return createDisk({ draw, journalLimit, losable, book });
      made += 1;
      const files = createFileDisk(join(folder, `${seed} ${made} ${name}`), LIMITS);
      const memory = createDisk({ draw, journalLimit, losable, kept });
      return createTwinDisk(memory, files, on.difference, on.commit);
    },
    end() {},
  };
}

describe('a world whose nodes have both disks', () => {
  it('finds the same on both after each commit', { timeout: TIMEOUT_MS }, async () => {
    // In memory where there is such a folder: each commit of a file waits for its disk.
    const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'sluice-'));
    const differences: string[] = [];
    let commits = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const difference: OnDifference = (what, memory, files) =>
        void differences.push(`seed ${seed}: ${what}: ${textOf(memory)} | ${textOf(files)}`);
      const commit = () => {
        commits += 1;
      };
      const disks = twinDisks(folder, seed, { difference, commit });
      const { violation } = await simulate({ scenario: mixScenario(seed), seed, disks });
      expect([seed, violation?.text]).toEqual([seed, undefined]);
      expect(differences.slice(0, 3)).toEqual([]);
    }
    rmSync(folder, { recursive: true });
    expect(commits).toBeGreaterThan(500 * SEEDS);
  });
});

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one))?.slice(0, 600);
