/** Opens the node's database: for one process, of one node, as durable as the disk allows. */
import { randomUUID } from 'node:crypto';
import { prepareBoot } from './actors.ts';
import type { Batch } from './batch.ts';
import { prepareBudgets } from './budgets.ts';
import { captureOf } from './capture.ts';
import { prepareChannels } from './channels.ts';
import { createCheckpoint } from './checkpoint.ts';
import { prepareBatch } from './commit.ts';
import {
  type Connection,
  connect,
  disconnect,
  isUnreadable,
  makeDurable,
  withoutWaiting,
} from './connection.ts';
import { createDurability, type Durability } from './durability.ts';
import { type ClaimedFile, type ClaimRefusal, claimFile, prepareWrite } from './exclusive.ts';
import { prepareFeed } from './feed.ts';
import { makeShrinkable } from './file-size.ts';
import {
  type Doubt,
  doubtOf,
  type HighWater,
  type HighWaterCheck,
  highWaterOf,
  newestStep,
  readHighWater,
} from './high-water.ts';
import { prepareHistory } from './history.ts';
import { prepareIouSessions } from './iou-sessions.ts';
import { prepareJournal } from './journal.ts';
import { copyIntoMemory } from './memory-copy.ts';
import { prepareMeta } from './meta.ts';
import { prepareNotifications } from './notifications.ts';
import { prepareProofs } from './proofs.ts';
import { prepareRecords } from './records.ts';
import type { Replica, Replication } from './replication.ts';
import { isDiskFull, type Reserve, withRoom } from './reserve.ts';
import { prepareSecrets } from './secrets.ts';
import { refusalOf, type Stamp, type StampProblem, upgrade } from './stamp.ts';
import { prepareSweep } from './sweep.ts';
import { prepareTrail } from './trail.ts';
import { prepareTransactions } from './transactions.ts';
import { prepareWebhooks } from './webhooks.ts';

export type StoreOptions = {
  /** `file:/path.db`, `:memory:` or `file::memory:`. */
  url: string;
  /** What the database must belong to; written at the first open. */
  stamp: Stamp;
  /** Newest rows of the journal that are kept. */
  journalLimit?: number;
  /** Newest rows of the feed that are kept; at least 1. */
  feedLimit?: number;
  /** The note that the database is compared with, so that an old copy is refused; absent: nothing. */
  highWater?: HighWaterCheck;
  /** The disk room that is given back when the disk is full; absent: none. */
  reserve?: Reserve;
  /** Works on a copy in memory: the database is read, and nothing is written to the disk. */
  isCopy?: boolean;
  /** Gets each transaction; absent: nobody does. */
  replica?: Replica;
};

/** Why a store did not open. `message` is for the operator: it says what to do. */
export type OpenRefusal = {
  ok: false;
  problem:
    | ClaimRefusal['problem']
    | 'unusable'
    | 'disk_full'
    | 'damaged'
    | 'old_copy'
    | StampProblem;
  message: string;
};
/**
 * `doubt`: the operator has accepted a copy that is known to be old; `isUnmarked`: there is no note to compare the
 * database with.
 */
export type Opened = { ok: true; store: Store; doubt: Doubt | null; isUnmarked: boolean };
export type OpenResult = Opened | OpenRefusal;
export type Store = ReturnType<typeof createStore>;

const JOURNAL_LIMIT = 200_000;
const FEED_LIMIT = 100_000;
/**
 * How long a commit waits for another program that writes into the file, e.g. one that copies it. Waiting loses
 * nothing, and a node that ended instead could not protect what is pending.
 */
const BUSY_TIMEOUT_MS = 60_000;

/**
 * Opens or creates the database and brings it to the newest schema. A refusal leaves the content of an existing
 * database as it was. The store belongs to this process until `close` or the end of the process.
 */
export function openStore(options: StoreOptions): OpenResult {
  try {
    const claimed = claimFile(options.url);
    return claimed.ok ? openClaimed(claimed, options) : claimed;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `the database ${options.url} cannot be used: ${reason}`;
    return { ok: false, problem: problemOf(error), message };
  }
}

function problemOf(error: unknown): 'disk_full' | 'damaged' | 'unusable' {
  if (isDiskFull(error)) return 'disk_full';
  return isUnreadable(error) ? 'damaged' : 'unusable';
}

function openClaimed(claimed: ClaimedFile, options: StoreOptions): OpenResult {
  try {
    const result = withRoom(options.reserve ?? null, () => openLocked(claimed, options));
    if (!result.ok) claimed.release();
    return result;
  } catch (error) {
    claimed.release();
    throw error;
  }
}

function openLocked({ path, isOnDisk, release }: ClaimedFile, options: StoreOptions): OpenResult {
  const { isCopy = false } = options;
  const { connection, lost } = isCopy
    ? copyIntoMemory(path)
    : { connection: connect(path, BUSY_TIMEOUT_MS), lost: [] };
  try {
    const replication = replicationOf(connection, options);
    // Without its journal, nothing tells how far the database had come.
    const { highWater: _, ...unmarked } = options;
    const examined = examine(connection, lost.includes('journal') ? unmarked : options);
    if (!examined.ok) {
      connection.client.close();
      return examined;
    }
    makeShrinkable(connection);
    makeDurable(connection, isCopy ? ':memory:' : path);
    const file = isOnDisk && !isCopy ? path : null;
    upgrade(connection, options.stamp);
    const durability = createDurability(file === null ? null : `${file}-wal`);
    const parts = { connection, options, release, file, durability, replication };
    return { ...examined, store: createStore(parts) };
  } catch (error) {
    connection.client.close();
    throw error;
  }
}

/** To be called before the first statement is prepared. A copy in memory is replicated nowhere. */
function replicationOf(
  { client }: Connection,
  { replica, isCopy = false }: StoreOptions,
): Replication | null {
  if (replica === undefined || isCopy) return null;
  return { ...replica, capture: captureOf(client) };
}

/** Checks whether the database may be used; changes nothing in it. */
function examine(
  connection: Connection,
  { stamp, highWater }: StoreOptions,
): Omit<Opened, 'store'> | OpenRefusal {
  const refusal = refusalOf(connection, stamp);
  if (refusal !== null) return { ok: false, ...refusal };
  if (highWater === undefined) return { ok: true, doubt: null, isUnmarked: false };
  const doubt = doubtOf(connection, highWater.file);
  if (doubt !== null && doubt.code !== highWater.accepted)
    return { ok: false, problem: 'old_copy', message: doubt.message };
  const isUnmarked = readHighWater(highWater.file) === null && highWaterOf(connection) !== null;
  return { ok: true, doubt, isUnmarked };
}

type StoreParts = {
  connection: Connection;
  options: StoreOptions;
  release: () => void;
  /** The database's file; null when it is in memory. */
  file: string | null;
  durability: Durability;
  replication: Replication | null;
};

function createStore(parts: StoreParts) {
  const { connection, options, release, file, durability, replication } = parts;
  const meta = prepareMeta(connection);
  const append = prepareWrite(connection, meta, { reserve: options.reserve, replication });
  withoutWaiting(connection);
  const writeSoon = (work: () => void): void => {
    append(work);
    durability.noteWritten();
  };
  const write = (work: () => void): void => {
    writeSoon(work);
    durability.force();
  };
  const { checkpoint, ...checkpoints } = createCheckpoint(file);
  const feed = prepareFeed(connection, options.feedLimit ?? FEED_LIMIT);
  const journalLimit = options.journalLimit ?? JOURNAL_LIMIT;
  const { put, mark, ...journal } = prepareJournal(connection, journalLimit);
  const followed = prepareTrail(meta);
  const { budgets, putBudget } = prepareBudgets(connection);
  const writeBatch = prepareBatch({
    connection,
    meta,
    feed,
    trail: followed,
    putBudget,
    putJournal: put,
  });
  let failed = false;
  let isClosed = false;
  /** How far the database had come when the store was closed. */
  let end: HighWater | null = null;
  const standing = (): HighWater => {
    // A note that is ahead of the database would make the database look like an old copy after a power cut.
    durability.force();
    return { instance: meta.get('instance') ?? '', seq: newestStep(connection) };
  };

  return {
    ...prepareBoot(connection),
    ...prepareHistory(connection),
    ...prepareProofs(connection),
    ...prepareSweep(connection, writeSoon),
    ...prepareRecords(connection),
    /** The last block whose logs are applied, or null before the first. */
    cursor: followed.cursor,
    /** The blocks that were followed, newest first, as far as they are kept. */
    trail: followed.trail,
    /**
     * The reorganisation that replaced blocks which this node had followed, while the operator has not accepted the
     * new chain; or null.
     */
    fork: followed.fork,
    acceptFork: (): void => write(followed.acceptFork),
    ...prepareChannels(connection),
    ...prepareSecrets(connection),
    ...prepareNotifications(connection, write),
    budgets,
    feed: { bounds: feed.bounds, after: feed.after },
    journal,
    webhooks: prepareWebhooks(connection, write),
    iouSessions: prepareIouSessions(connection, write),
    transactions: prepareTransactions(connection, write),

    /**
     * Writes the whole batch; inserts go before deletions of the same table, and a key that is there already keeps its
     * place. When it returns, the death of the process cannot undo it, but a power cut can: see `whenDurable`. Throws
     * when the disk, a used nonce or another holder of the file prevents the write. Then nothing of the batch is
     * written, and no later batch either, since that would build on one that is missing.
     */
    commit(batch: Batch): void {
      if (failed) throw new Error('store: an earlier commit failed, open the database again');
      failed = true;
      const marks = [feed.mark(), mark()];
      append(() => {
        for (const goBack of marks) goBack();
        writeBatch(batch);
      });
      durability.noteWritten();
      failed = false;
    },
    /**
     * Calls `done` when everything that was written so far is on the disk and, if there is a replica, there: maybe at
     * once. `onFailure`: the disk failed, and nobody will ever hear. `onDisk`: called before a replica is waited for.
     */
    whenDurable(
      done: () => void,
      onFailure: (error: unknown) => void,
      onDisk: () => void = () => {},
    ): void {
      const arrived = () => {
        onDisk();
        replication?.whenAcknowledged(done);
      };
      durability.whenDurable(replication === null ? done : arrived, onFailure);
    },
    /** Calls `done` when the replica has everything that was written so far; at once without a replica. */
    whenAcknowledged: (done: () => void): void =>
      replication === null ? done() : replication.whenAcknowledged(done),
    /**
     * Waits, and the process with it, until everything is on the disk. All who asked are told, unless they wait for a
     * replica. Throws when it fails.
     */
    sync: durability.sync,

    checkpoint,

    /** The database's file; null: the database is in memory, and gone with this process. */
    file,
    /** How far the database has come, on disk; after `close`, how far it had. Throws when it cannot be read. */
    highWater: (): HighWater => end ?? standing(),
    /** Makes this the database of the key: from now on any other copy is refused. */
    acceptCopy(): void {
      write(() => {
        meta.set('instance', randomUUID());
        meta.set('backup', '');
        meta.set('rereading', 'yes');
      });
    },
    /** Whether channels may appear that were used before, although this database contains nothing of them. */
    isRereading: (): boolean => (meta.get('rereading') ?? '') !== '',
    endRereading: (): void => write(() => meta.set('rereading', '')),
    /** False: an older version followed the chain up to the cursor without storing the registered secrets. */
    areSecretsRead: (): boolean => (meta.get('secretsRead') ?? '') !== '',
    noteSecretsRead: (): void => write(() => meta.set('secretsRead', 'yes')),

    /** Closes and releases the database, even when the disk fails. May be called more than once. */
    close(): void {
      if (isClosed) return;
      isClosed = true;
      try {
        end = standing();
      } catch {
        // A page cannot be read: the note keeps what was written into it before.
      }
      checkpoints.close();
      disconnect(connection);
      durability.close();
      release();
    },
  };
}
