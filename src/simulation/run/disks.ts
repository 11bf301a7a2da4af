/** The disks of a run's nodes: in memory, or real files that are removed when the run has ended. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDisk, type Disk } from '../disk/disk.ts';
import { createFileDisk } from '../disk/file-disk.ts';
import type { Fault } from '../scenario/schema-trouble.ts';
import type { Draw } from '../world/randomness.ts';

export type Disks = {
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
  const losable = faults.reduce((most, fault) => {
    return fault.kind === 'disk_lost_writes' ? Math.max(most, fault.commits) : most;
  }, 0);

  return {
    make(name, draw) {
      if (!isFile) return createDisk({ draw, journalLimit, losable });
      folder ??= mkdtempSync(join(tmpdir(), 'sluice-simulation-'));
      return createFileDisk(join(folder, name), { journalLimit });
    },
    end() {
      if (folder !== null) rmSync(folder, { recursive: true });
      folder = null;
    },
  };
}
