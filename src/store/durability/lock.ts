/**
 * Locks that end with their holder. A lock is an SQLite file with an open exclusive transaction: the
 * system drops it when the process dies, however it dies, so there is never a stale one to clean up.
 */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';

export type LockResult = { ok: true; release(): void } | { ok: false };

/**
 * Two processes that ask at the same moment can be in each other's way, so that neither gets the lock. SQLite tries
 * again for this long, so that one of them gets it.
 */
const RETRY_MS = 100;

/** The handles of all locks. A handle that was garbage-collected would release its lock. */
const held = new Set<Libsql.Database>();

/** Creates the folder (and its parents) for this user alone; an existing one stays as it is. */
export function createPrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/** Creates the file for this user alone; if it exists, takes the access to it from everybody else. */
export function createPrivateFile(path: string): void {
  // `wx` never opens an existing file: closing it again would drop every lock that this process holds on
  // it (POSIX record locks belong to the process, not to the descriptor).
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    if (!statSync(path).isFile()) throw new Error(`${path} is no regular file`);
    chmodSync(path, 0o600);
  }
}

/** Takes the lock in the file `path`, which is created; refused while anybody else holds it. */
export function lockFile(path: string): LockResult {
  createPrivateFile(path);
  const client = new Libsql(path);
  try {
    client.exec(`PRAGMA busy_timeout = ${RETRY_MS}`);
    // Without this a journal file would appear beside it.
    client.exec('PRAGMA journal_mode = OFF');
    client.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    client.close();
    if (isBusy(error)) return { ok: false };
    throw error;
  }
  held.add(client);
  return { ok: true, release: () => release(client) };
}

/** Whether somebody holds the lock in the file at this moment. Creates and takes nothing. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  const client = new Libsql(path);
  try {
    client.exec('PRAGMA busy_timeout = 0');
    client.prepare('SELECT count(*) FROM sqlite_master').get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    client.close();
  }
}

function release(client: Libsql.Database): void {
  if (!held.delete(client)) return;
  client.exec('ROLLBACK');
  client.close();
}

function isBusy(error: unknown): boolean {
  return error instanceof Libsql.SqliteError && error.code === 'SQLITE_BUSY';
}

/** The file of the lock `name` in the folder. */
export function keyLockFile(folder: string, name: string): string {
  return join(folder, `${name}.lock`);
}

/**
 * Takes the lock `name` in a folder that all nodes of one user share. The runtime holds one per key
 * (chain and address), so that no key runs twice on a machine, whatever databases are given. Throws when
 * the folder cannot be written, or when `name` is no plain file name.
 */
export function lockKey(options: { folder: string; name: string }): LockResult {
  const { folder, name } = options;
  if (!/^[\w-]+(\.[\w-]+)*$/.test(name)) throw new Error(`store: ${name} is no name for a lock`);
  createPrivateFolder(folder);
  return lockFile(keyLockFile(folder, name));
}
