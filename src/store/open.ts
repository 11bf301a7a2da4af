/** Opens the node's database: for one process, of one node, as durable as the disk allows. */
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { prepareBoot } from './actors.ts';
import type { Batch } from './batch.ts';
import { prepareBatch } from './commit.ts';
import {
  atomically,
  type Connection,
  connect,
  makeDurable,
  type Synchronous,
} from './connection.ts';
import { prepareHistory } from './history.ts';
import { type Location, parseLocation } from './location.ts';
import { createPrivateFile, createPrivateFolder, type LockResult, lockFile } from './lock.ts';
import { type Meta, prepareMeta } from './meta.ts';
import { prepareProofs } from './proofs.ts';
import { prepareRecords } from './records.ts';
import { refusalOf, type Stamp, type StampProblem, upgrade } from './stamp.ts';
import { prepareTransactions } from './transactions.ts';

export type StoreOptions = {
  /** `file:/path.db`, `:memory:` or `file::memory:`. */
  url: string;
  /** What the database must belong to; written at the first open. */
  stamp: Stamp;
  /** Newest rows of the journal that are kept. */
  journalLimit?: number;
  /** FULL unless told otherwise; anything else loses money when the power fails. */
  synchronous?: Synchronous;
};

/** Why a store did not open. `message` is for the operator: it says what to do. */
export type OpenRefusal = {
  ok: false;
  problem: 'unsupported_url' | 'in_use' | 'unusable' | StampProblem;
  message: string;
};
export type OpenResult = { ok: true; store: Store } | OpenRefusal;
export type Store = ReturnType<typeof createStore>;

const JOURNAL_LIMIT = 200_000;

/**
 * Opens or creates the database and brings it to the newest schema. A refusal leaves the content of a
 * database that was there as it was. The store is this process's until `close` or the end of the process.
 */
export function openStore(options: StoreOptions): OpenResult {
  const location = parseLocation(options.url);
  if (location.kind === 'unsupported') {
    return { ok: false, problem: 'unsupported_url', message: location.message };
  }
  try {
    return openAt(location, options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the database ${options.url} cannot be used: ${reason}`;
    return { ok: false, problem: 'unusable', message };
  }
}

function openAt(location: Location, options: StoreOptions): OpenResult {
  const path = location.kind === 'memory' ? ':memory:' : claimPath(location.path);
  const lock: LockResult =
    location.kind === 'memory' ? { ok: true, release() {} } : lockFile(`${path}.lock`);
  if (!lock.ok) {
    const message = `another process uses the database ${options.url}: stop it, or give this node a database of its own`;
    return { ok: false, problem: 'in_use', message };
  }
  try {
    const result = openLocked(path, options, lock.release);
    if (!result.ok) lock.release();
    return result;
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** The file's real path, so that a link to it has the same lock; created for this user alone. */
function claimPath(path: string): string {
  createPrivateFolder(dirname(path));
  createPrivateFile(path);
  const real = realpathSync(path);
  // A copy may have left them open to others; new ones take the mode of the database file.
  for (const sidecar of [`${real}-wal`, `${real}-shm`]) {
    if (existsSync(sidecar)) chmodSync(sidecar, 0o600);
  }
  return real;
}

function openLocked(path: string, options: StoreOptions, release: () => void): OpenResult {
  const connection = connect(path);
  try {
    const refusal = refusalOf(connection, options.stamp);
    if (refusal !== null) {
      connection.client.close();
      return { ok: false, ...refusal };
    }
    makeDurable(connection, path, options.synchronous ?? 'FULL');
    upgrade(connection, options.stamp);
    return { ok: true, store: createStore(connection, options, release) };
  } catch (error) {
    connection.client.close();
    throw error;
  }
}

function createStore(connection: Connection, options: StoreOptions, release: () => void) {
  const meta = prepareMeta(connection);
  const write = prepareWrite(connection, meta);
  const writeBatch = prepareBatch(connection, meta, options.journalLimit ?? JOURNAL_LIMIT);
  let failed = false;
  let closed = false;

  return {
    ...prepareBoot(connection),
    ...prepareHistory(connection),
    ...prepareProofs(connection, write),
    ...prepareRecords(connection, meta),
    transactions: prepareTransactions(connection, write),

    /**
     * Writes the whole batch and returns when it is on disk; inserts go before deletions of the same
     * table, and a key that is there already keeps its place. Throws when the disk, a used nonce or
     * another holder of the file stands against it: nothing of the batch is written then, and no later
     * batch either, since it would stand on one that is missing.
     */
    commit(batch: Batch): void {
      if (failed) throw new Error('store: an earlier commit failed, open the database again');
      failed = true;
      write(() => writeBatch(batch));
      failed = false;
    },

    /** Folds the write-ahead log into the file and gives the database back. May be called again. */
    close(): void {
      if (closed) return;
      closed = true;
      connection.client.pragma('wal_checkpoint(TRUNCATE)');
      connection.client.close();
      release();
    },
  };
}

/**
 * One durable transaction, fenced: if the file has another holder (somebody removed the lock file and
 * started a second process), this one writes nothing more.
 */
function prepareWrite({ client }: Connection, meta: Meta) {
  const holder = randomUUID();
  meta.set('holder', holder);
  return (work: () => void): void =>
    atomically(client, () => {
      if (meta.get('holder') !== holder)
        throw new Error('store: another process took the database');
      work();
    });
}
