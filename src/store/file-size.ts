/**
 * Gives room that is free inside the database's file back to the file system. A new file can do so from its beginning
 * (SQLite's incremental auto_vacuum); one of an older version has to be written anew once (`compact`), which takes as
 * long as to copy it, and so is left to the operator.
 */
import { existsSync, statSync } from 'node:fs';
import { type Connection, connect, disconnect } from './connection.ts';
import { claimFile } from './exclusive.ts';
import { parseLocation } from './location.ts';
import { ownerOf } from './migrate.ts';
import { shareOf } from './share.ts';

/** SQLite's number of a file whose free pages are given back when it is told to. */
const INCREMENTAL = 2;
/** 16 MB that stay free, for what is written next: to give them back and take them again would be work for nothing. */
const SPARE_PAGES = 4_096;

/** To be called before anything is written into a new file; an older file stays as it is. */
export function makeShrinkable({ client }: Connection): void {
  client.pragma('auto_vacuum = INCREMENTAL');
}

/** What there is to do for one slice, in a transaction of the caller; null: the file has no room to give back. */
export function prepareShrink({ client }: Connection) {
  const canShrink = numberOf(client.pragma('auto_vacuum')) === INCREMENTAL;
  const free = client.prepare('PRAGMA freelist_count');
  return (rows: number): (() => void) | null => {
    if (!canShrink) return null;
    const pages = shareOf(rows, 'page');
    if (numberOf(free.all([])) < SPARE_PAGES + pages) return null;
    return () => void client.exec(`PRAGMA incremental_vacuum(${pages})`);
  };
}

/** The only field of the only row. */
function numberOf(rows: unknown): number {
  const row: unknown = Array.isArray(rows) ? rows[0] : null;
  const value: unknown = typeof row === 'object' && row !== null ? Object.values(row)[0] : null;
  if (typeof value !== 'number') throw new Error('store: SQLite answered no number');
  return value;
}

export type Compacted =
  | { ok: true; before: number; after: number }
  | { ok: false; message: string };

/**
 * Writes the file of a node that does not run anew, without the room that is free in it; from then on it gives room
 * back by itself. Needs as much room on the disk again meanwhile. A process that dies in here leaves the file as it was:
 * it is one transaction. In bytes. `message` says what to do.
 */
export function compact(url: string): Compacted {
  const location = parseLocation(url);
  if (location.kind === 'unsupported') return { ok: false, message: location.message };
  if (location.kind === 'memory') return { ok: false, message: 'give the file of a database' };
  const { path } = location;
  if (!existsSync(path)) return { ok: false, message: `there is no database ${path}` };
  const claimed = claimFile(url);
  if (!claimed.ok) return claimed;
  const before = statSync(path).size;
  const connection = connect(claimed.path);
  try {
    if (ownerOf(connection) !== 'us')
      return { ok: false, message: `${path} is not a database of sluice: check --database` };
    makeShrinkable(connection);
    connection.client.exec('VACUUM');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, message: `${path} stays as it was: ${reason}` };
  } finally {
    disconnect(connection);
    claimed.release();
  }
  return { ok: true, before, after: statSync(path).size };
}
