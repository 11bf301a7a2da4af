/**
 * Room on the disk of a database that nobody else can take: a file that is deleted when the disk is full, so that
 * what is pending can still be finished.
 */
import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import Libsql from 'libsql';

export type Reserve = {
  /** Writes the file if it is missing or incomplete. False: the disk has no room for it. */
  fill(): boolean;
  /** Gives the room back. False: there was none. */
  free(): boolean;
};

const PIECE_BYTES = 2 ** 20;
/** The errors that mean: the disk, or this user's share of it, has no room; or none was found for the shared index. */
const FULL: readonly string[] = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE'];

export function isDiskFull(error: unknown): boolean {
  return error instanceof Libsql.SqliteError && FULL.includes(error.code);
}

/**
 * Creates a reserve of so many bytes, in a file beside the database file `path`. `onFreed` is called each time that
 * the room was given back.
 */
export function createReserve(path: string, bytes: number, onFreed: () => void): Reserve {
  let known: string | null = null;

  /** `path` may be a link, which may be on another disk than the database; and the database may have been deleted. */
  function file(): string {
    if (known === null || existsSync(path)) known = `${realpathSync(path)}.reserve`;
    return known;
  }

  function fill(): boolean {
    const target = file();
    if ((statSync(target, { throwIfNoEntry: false })?.size ?? 0) >= bytes) return true;
    try {
      write(target, bytes);
      return true;
    } catch {
      // An incomplete reserve would take room from the database, and still be too small to finish what is pending.
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

/** Fills the file with random bytes: on some file systems zeros or repeated bytes take no room. */
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
