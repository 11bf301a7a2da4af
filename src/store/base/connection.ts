/** One connection to one libSQL database, with Drizzle on top, and transactions on it. */
import { BetterSQLiteSession } from 'drizzle-orm/better-sqlite3/session';
import { BaseSQLiteDatabase, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core';
import Libsql from 'libsql';
import type { Capture } from '../durability/capture.ts';

/** SQLite's numbers of what it waits for: at checkpoints, or at every commit. */
const NORMAL = 1;
const FULL = 2;

/** What Drizzle asks of the driver. */
type Statements = ConstructorParameters<typeof BetterSQLiteSession>[0];
type Statement = ReturnType<Statements['prepare']>;
type ConnectOptions = { busyTimeoutMs?: number; capture?: Capture | null };

/** How long a program waits for another's write lock if it can try again later. */
const BUSY_TIMEOUT_MS = 5_000;

/** `prepare`: of a statement that may write; `client`: the driver itself, for what no copy elsewhere has to do. */
export type Connection = {
  client: Libsql.Database;
  prepare(sql: string): Statement;
  db: BaseSQLiteDatabase<'sync', Libsql.RunResult>;
};

/**
 * Opens `path`, a file that exists or `:memory:`, and changes nothing in it. When another program holds the write
 * lock, each write waits so many milliseconds for it, and the whole process waits with it. `capture` is told of each
 * statement that is run.
 */
export function connect(
  path: string,
  { busyTimeoutMs = BUSY_TIMEOUT_MS, capture = null }: ConnectOptions = {},
): Connection {
  const client = new Libsql(path);
  const prepare = (sql: string): Statement => {
    const statement = client.prepare(sql);
    return capture === null ? statement : captured(statement, sql, capture);
  };
  const dialect = new SQLiteSyncDialect();
  const session = new BetterSQLiteSession<Record<string, never>, Record<string, never>>(
    { prepare },
    dialect,
    undefined,
  );
  client.pragma(`busy_timeout = ${busyTimeoutMs}`);
  return { client, prepare, db: new BaseSQLiteDatabase('sync', dialect, session, undefined) };
}

function captured(statement: Libsql.Statement, sql: string, capture: Capture): Statement {
  const kept: Statement = {
    run(...given) {
      // One list of values and several values mean the same to the driver.
      capture.note({ sql, params: given.flat() });
      return statement.run(...given);
    },
    get: (...given) => statement.get(...given),
    all: (...given) => statement.all(...given),
    raw() {
      statement.raw();
      return kept;
    },
  };
  return kept;
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
