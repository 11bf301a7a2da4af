/** Brings what was written to the disk. */
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Forces the content of a file, or the names in a folder, to the disk. */
export function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
