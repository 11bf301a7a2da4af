/** What the open database does for the node: each commit is one transaction. */
import { randomUUID } from 'node:crypto';
import type { Batch } from './base/batch.ts';
import { type Connection, withoutWaiting } from './base/connection.ts';
import { prepareMeta } from './base/meta.ts';
import { prepareBatch } from './commit.ts';
import { createCheckpoint } from './durability/checkpoint.ts';
import type { Durability } from './durability/durability.ts';
import { prepareWrite } from './durability/exclusive.ts';
import { type HighWater, newestStep } from './durability/high-water.ts';
import type { Replication } from './durability/replication.ts';
import { createRescuer, type RescueOptions } from './durability/rescuer.ts';
import { prepareFeed } from './history/feed.ts';
import { prepareHistory } from './history/history.ts';
import { prepareJournal } from './history/journal.ts';
import { prepareRecords } from './history/records.ts';
import { openStoredHistory } from './history/stored-history.ts';
import { prepareSweep } from './history/sweep.ts';
import { prepareBoot } from './tables/actors.ts';
import { prepareBudgets } from './tables/budgets.ts';
import { openCallIndex, prepareCalls } from './tables/calls.ts';
import { prepareChannels } from './tables/channels.ts';
import { prepareForced } from './tables/forced.ts';
import { prepareIouSessions } from './tables/iou-sessions.ts';
import { createLive } from './tables/live.ts';
import { prepareNotifications } from './tables/notifications.ts';
import { prepareProofs } from './tables/proofs.ts';
import { openRedemptionIndex, prepareRedemptions } from './tables/redemptions.ts';
import { prepareSecrets } from './tables/secrets.ts';
import { prepareTrail } from './tables/trail.ts';
import { prepareTransactions } from './tables/transactions.ts';
import { prepareWebhooks } from './tables/webhooks.ts';

export type Store = ReturnType<typeof createStore>;

const JOURNAL_LIMIT = 200_000;
const FEED_LIMIT = 100_000;

type Options = RescueOptions & {
  /** Newest rows of the journal that are kept. */
  journalLimit?: number;
  /** Newest rows of the feed that are kept; at least 1. */
  feedLimit?: number;
};
type StoreParts = {
  connection: Connection;
  options: Options;
  release: () => void;
  /** The database's file; null when it is in memory. */
  file: string | null;
  durability: Durability;
  replication: Replication | null;
};

export function createStore(parts: StoreParts) {
  const { connection, options, release, file, durability, replication } = parts;
  const meta = prepareMeta(connection);
  const { guarded, isThere, disconnect, ...rescuer } = createRescuer(connection, file, options);
  const append = guarded(prepareWrite(connection, meta, { ...options, replication }));
  withoutWaiting(connection);
  const writeSoon = (work: () => void): void => {
    append(work);
    durability.noteWritten();
  };
  const write = (work: () => void): void => {
    writeSoon(work);
    durability.force();
  };
  const { checkpoint, ...checkpoints } = createCheckpoint(connection, file, isThere);
  const live = createLive(connection);
  const indexes = {
    calls: openCallIndex(connection),
    redemptions: openRedemptionIndex(connection),
  };
  const history = openStoredHistory(connection);
  const feed = prepareFeed(connection, options.feedLimit ?? FEED_LIMIT);
  const journalLimit = options.journalLimit ?? JOURNAL_LIMIT;
  const { put, mark, ...journal } = prepareJournal(connection, journalLimit);
  const followed = prepareTrail(meta);
  const tables = {
    ...prepareBudgets(connection),
    ...prepareForced(connection),
    ...prepareCalls(connection, indexes.calls),
    ...prepareRedemptions(connection, meta, indexes.redemptions),
  };
  const { putBudget, putForced, beginCall, endCall, putRedemption, endRedeeming, ...reads } =
    tables;
  const writeBatch = prepareBatch({
    ...{ connection, meta, live, history, indexes, feed, trail: followed, journal: { put, mark } },
    ...{ putBudget, putForced, beginCall, endCall, putRedemption },
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
    ...prepareBoot(connection, live),
    ...prepareHistory(connection, history),
    ...prepareProofs(connection),
    ...prepareSweep({ connection, meta, feed, history, live, indexes, write: writeSoon }),
    ...prepareRecords(connection),
    /** How far the blocks are applied, or null before the first. */
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
    ...reads,
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
      writeBatch(batch, append);
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
    ...rescuer,
    /** How far the database has come, on disk; after `close`, how far it had. Throws when it cannot be read. */
    highWater: (): HighWater => end ?? standing(),
    /** Makes this the database of the key: from now on any other copy is refused. */
    acceptCopy(): void {
      write(() => {
        meta.set('instance', randomUUID());
        meta.set('backup', '');
        meta.set('rereading', 'yes');
        endRedeeming();
      });
    },
    /** Whether channels may appear that were used before, although this database contains nothing of them. */
    isRereading: (): boolean => (meta.get('rereading') ?? '') !== '',
    endRereading: (): void => write(() => meta.set('rereading', '')),

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
      disconnect();
      durability.close();
      release();
    },
  };
}
