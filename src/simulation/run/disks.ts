/** The disks of a run's nodes: in memory, or real files that are removed when the run has ended. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDisk, type Disk } from '../disk/disk.ts';
import { createFileDisk } from '../disk/file-disk.ts';
import type { WriteBook } from '../disk/write-book.ts';
import { MOST_LATE } from '../node/late-disk.ts';
import type { Fault } from '../scenario/schema/trouble.ts';
import type { Draw } from '../world/randomness.ts';

export type Disks = {
  /** Whether a disk may have what was written only later. */
  mayBeLate: boolean;
  /** `draw` draws the names of databases. `book`: of the disks that are replicated among each other. */
  make(name: string, draw: Draw, book?: WriteBook): Disk;
  /** Called when no disk is used any more. */
  end(): void;
};

/** The most rows of its journal that a simulated node keeps. */
const JOURNAL_LIMIT = 32;

export function createDisks(isFile: boolean, faults: readonly Fault[]): Disks {
  let folder: string | null = null;
  /** A machine may get a new disk. */
  let made = 0;
  const journalLimit = JOURNAL_LIMIT;
  const lost = faults.map((fault) => (fault.kind === 'disk_lost_writes' ? fault.commits : 0));
  const mayBeLate = faults.some(({ kind }) => kind === 'disk_late');
  const losable = Math.max(0, ...lost) + (mayBeLate ? MOST_LATE : 0);

  return {
    mayBeLate,
    make(name, draw, book) {
      // What a real disk had at the moment of a power cut cannot be told from outside.
      if (!isFile || mayBeLate) {
        const replicated = book === undefined ? {} : { book };
        return createDisk({ draw, journalLimit, losable, ...replicated });
      }
      folder ??= mkdtempSync(join(tmpdir(), 'sluice-simulation-'));
      made += 1;
      return createFileDisk(join(folder, `${made} ${name}`), { journalLimit });
    },
    end() {
      if (folder !== null) rmSync(folder, { recursive: true });
      folder = null;
    },
  };
}
