/** Gives room that is free inside the database's file back to the file system: SQLite's incremental auto_vacuum. */
import type { Connection } from '../base/connection.ts';
import { shareOf } from '../base/share.ts';

/** 16 MB that stay free, for what is written next: to give them back and take them again would be work for nothing. */
const SPARE_PAGES = 4_096;

/** To be called before anything is written into a new file. */
export function makeShrinkable({ client }: Connection): void {
  client.pragma('auto_vacuum = INCREMENTAL');
}

/** What there is to do for one slice, in a transaction of the caller; null: the file has no room to give back. */
export function prepareShrink({ client }: Connection) {
  const free = client.prepare('PRAGMA freelist_count');
  return (rows: number): (() => void) | null => {
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
