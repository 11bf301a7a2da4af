/** The disks of a run's nodes: in memory, or real files that are removed when the run has ended. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDisk, type Disk } from '../disk/disk.ts';
import { createFileDisk } from '../disk/file-disk.ts';
import { MOST_LATE } from '../node/late-disk.ts';
import type { Fault } from '../scenario/schema-trouble.ts';
import type { Draw } from '../world/randomness.ts';

export type Disks = {
  /** Whether a disk may have what was written only later. */
  mayBeLate: boolean;
  /** `draw` draws the names of databases. */
  make(name: string, draw: Draw): Disk;
  /** Called when no disk is used any more. */
  end(): void;
};

/** The most rows of its journal that a simulated node keeps. */
const JOURNAL_LIMIT = 32;

export function createDisks(isFile: boolean, faults: readonly Fault[]): Disks {
  let folder: string | null = null;
  const journalLimit = JOURNAL_LIMIT;
  const lost = faults.map((fault) => (fault.kind === 'disk_lost_writes' ? fault.commits : 0));
  const mayBeLate = faults.some(({ kind }) => kind === 'disk_late');
  const losable = Math.max(0, ...lost) + (mayBeLate ? MOST_LATE : 0);

  return {
    mayBeLate,
    make(name, draw) {
      // What a real disk had at the moment of a power cut cannot be told from outside.
      if (!isFile || mayBeLate) return createDisk({ draw, journalLimit, losable });
      folder ??= mkdtempSync(join(tmpdir(), 'sluice-simulation-'));
      return createFileDisk(join(folder, name), { journalLimit });
    },
    end() {
      if (folder !== null) rmSync(folder, { recursive: true });
      folder = null;
    },
  };
}
