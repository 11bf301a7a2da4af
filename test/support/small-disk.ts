import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type SmallDisk = {
  folder: string;
  freeBytes(): number;
  /** Writes until so many bytes are left, to a page of 4096 bytes. */
  fill(left?: number): void;
  /** Gives back what `fill` took. */
  empty(): void;
  /** Unmounts it. */
  end(): void;
};

function mount(folder: string, bytes: number): boolean {
  const args = ['-t', 'tmpfs', '-o', `size=${bytes}`, 'sluice-test', folder];
  return spawnSync('mount', args, { stdio: 'ignore' }).status === 0;
}
function unmount(folder: string): void {
  // Lazily: a database that a failed test left open must not keep the mount.
  spawnSync('umount', ['-l', folder], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
}
const newFolder = () => mkdtempSync(join(tmpdir(), 'sluice-disk-'));

/** Whether this user may mount a file system; where not, tests on a full disk are skipped. */
export const canMount = (() => {
  const folder = newFolder();
  try {
    return mount(folder, 2 ** 20);
  } finally {
    unmount(folder);
  }
})();

/** For the title of what needs a small file system. */
export const needsMount = canMount ? '' : ' (skipped: this user may not mount a file system)';

/** A file system of its own, in memory. */
export function smallDisk(bytes: number): SmallDisk {
  const folder = newFolder();
  if (!mount(folder, bytes)) throw new Error('a file system could not be mounted');
  const ballast = join(folder, 'ballast');
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    folder,
    freeBytes,
    fill(left = 0) {
      const handle = openSync(ballast, 'a');
      try {
        for (let more = freeBytes() - left; more > 0; more = freeBytes() - left)
          writeSync(handle, Buffer.alloc(Math.min(more, 2 ** 20)));
      } finally {
        closeSync(handle);
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    end: () => unmount(folder),
  };
}
