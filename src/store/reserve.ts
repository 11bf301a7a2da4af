/**
 * Room on the disk of a database that nobody else can take: a file that is given back when the disk is full,
 * so that what is pending can still be brought to its end.
 */
import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, realpathSync, rmSync, statSync, writeSync } from 'node:fs';
import Libsql from 'libsql';

export type Reserve = {
  /** Writes the file where it is not there whole. False: the disk has no room for it. */
  fill(): boolean;
  /** Gives the room back. False: there was none. */
  free(): boolean;
};

const PIECE_BYTES = 2 ** 20;
/** The disk, or the share of it that this user may have, has no room; the shared index did not find any. */
const FULL: readonly string[] = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'];

export function isDiskFull(error: unknown): boolean {
  return error instanceof Libsql.SqliteError && FULL.includes(error.code);
}

/** Of so many bytes, beside the database file `path`. `onFreed` is told each time that it was given back. */
export function createReserve(path: string, bytes: number, onFreed: () => void): Reserve {
  // A link to the database may stand on another disk.
  const file = () => `${realpathSync(path)}.reserve`;

  function fill(): boolean {
    const target = file();
    if ((statSync(target, { throwIfNoEntry: false })?.size ?? 0) >= bytes) return true;
    try {
      write(target, bytes);
      return true;
    } catch {
      // Half of it would keep room from the database and be too small for an end.
      rmSync(target, { force: true });
      return false;
    }
  }

  function free(): boolean {
    try {
      rmSync(file());
    } catch {
      return false;
    }
    onFreed();
    return true;
  }
  return { fill, free };
}

/** What is all zeros, or the same twice, takes no room on some file systems. */
function write(file: string, bytes: number): void {
  const handle = openSync(file, 'w', 0o600);
  try {
    const piece = Buffer.alloc(Math.min(bytes, PIECE_BYTES));
    for (let left = bytes; left > 0; ) {
      randomFillSync(piece);
      const written = writeSync(handle, piece, 0, Math.min(left, piece.length));
      left -= written;
    }
  } finally {
    closeSync(handle);
  }
}

/** Does the work, and once more from its beginning where the disk was full and the reserve gave room. */
export function withRoom<T>(reserve: Reserve | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isDiskFull(error) || reserve === null || !reserve.free()) throw error;
    return work();
  }
}
