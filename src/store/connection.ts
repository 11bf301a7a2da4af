/** One connection to one libSQL database, with Drizzle on top, and transactions on it. */
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import Libsql from 'libsql';

/** SQLite's numbers of what it waits for: at checkpoints, or at every commit. */
const NORMAL = 1;
const FULL = 2;

/** How long a program waits for another's write lock if it can try again later. */
const BUSY_TIMEOUT_MS = 5_000;

export type Connection = {
  client: Libsql.Database;
  db: BaseSQLiteDatabase<'sync', Libsql.RunResult>;
};

/**
 * Opens `path`, a file that exists or `:memory:`, and changes nothing in it. When another program holds the write
 * lock, each write waits so many milliseconds for it, and the whole process waits with it.
 */
export function connect(path: string, busyTimeoutMs = BUSY_TIMEOUT_MS): Connection {
  const client = new Libsql(path);
  const dialect = new SQLiteSyncDialect();
  const session = new BetterSQLiteSession<Record<string, never>, Record<string, never>>(
    client,
    dialect,
    undefined,
  );
  client.pragma(`busy_timeout = ${busyTimeoutMs}`);
  return { client, db: new BaseSQLiteDatabase('sync', dialect, session, undefined) };
}

/**
 * Sets what durability needs, for this connection, and reads it back. Throws when another value comes back: the file
 * system cannot do it.
 */
export function makeDurable({ client }: Connection, path: string): void {
  client.pragma('journal_mode = WAL');
  client.pragma('synchronous = FULL');
  client.pragma('foreign_keys = ON');
  expectPragma(client, 'journal_mode', path === ':memory:' ? 'memory' : 'wal');
  expectPragma(client, 'synchronous', FULL);
  expectPragma(client, 'foreign_keys', 1);
}

/** From now on a commit returns before it is on the disk: whoever commits waits for the disk by itself. */
export function withoutWaiting({ client }: Connection): void {
  client.pragma('synchronous = NORMAL');
  expectPragma(client, 'synchronous', NORMAL);
}

function expectPragma(client: Libsql.Database, name: string, wanted: string | number): void {
  const rows: unknown = client.pragma(name);
  const row: unknown = Array.isArray(rows) ? rows[0] : undefined;
  const found: unknown =
    typeof row === 'object' && row !== null ? Object.values(row)[0] : undefined;
  if (found !== wanted) throw new Error(`${name} is ${String(found)}, not ${wanted}`);
}

/**
 * Runs `work` in one transaction: all of it is on disk when this returns, nothing of it when it throws.
 * Takes the write lock at once, so that nothing read inside can become stale.
 */
export function atomically<T>(client: Libsql.Database, work: () => T): T {
  client.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    client.exec('COMMIT');
    return result;
  } catch (error) {
    rollback(client);
    throw error;
  }
}

function rollback(client: Libsql.Database): void {
  try {
    if (client.inTransaction) client.exec('ROLLBACK');
  } catch {
    // The error that led here is the one to report; the next open rolls back what is left.
  }
}

/**
 * Closes the database, and folds the write-ahead log into the file if that is possible. On a full disk, or when a
 * page cannot be read, the log stays, and the next program that opens the database reads it.
 */
export function disconnect({ client }: Connection): void {
  try {
    client.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // Nothing is lost: what was committed is in the log.
  }
  client.close();
}

/** Whether the error says that a page of the file cannot be read, or is not what was written. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Libsql.SqliteError && /^SQLITE_(CORRUPT|IOERR)/.test(error.code);
}
