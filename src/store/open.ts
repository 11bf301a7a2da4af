import { messageOf } from '../basics/message-of.ts';
import { type Connection, connect, isUnreadable, makeDurable } from './base/connection.ts';
import { type Stamp, type StampProblem, stampRefusal, upgrade } from './base/stamp.ts';
import { createCapture } from './durability/capture.ts';
import { createDurability } from './durability/durability.ts';
import { type ClaimedFile, type ClaimRefusal, claimFile } from './durability/exclusive.ts';
import {
  type Doubt,
  doubtOf,
  type HighWaterCheck,
  highWaterOf,
  readHighWater,
} from './durability/high-water.ts';
import { copyIntoMemory } from './durability/memory-copy.ts';
import type { Replica, Replication } from './durability/replication.ts';
import type { RescueOptions } from './durability/rescuer.ts';
import { isDiskFull, withRoom } from './durability/reserve.ts';
import { makeShrinkable } from './history/file-size.ts';
import { createStore, type Store } from './store.ts';

export type StoreOptions = RescueOptions & {
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
export type OpenedStore = { ok: true; store: Store; doubt: Doubt | null; isUnmarked: boolean };
export type OpenResult = OpenedStore | OpenRefusal;

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
    const reason = messageOf(error);
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
  const replication = replicationOf(options);
  const capture = replication?.capture ?? null;
  const { connection, lost } = isCopy
    ? copyIntoMemory(path)
    : { connection: connect(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, capture }), lost: [] };
  try {
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
    const durability = createDurability(
      file === null ? null : `${file}-wal`,
      undefined,
      () => replication?.isWaitedFor() !== true,
    );
    const parts = { connection, options, release, file, durability, replication };
    return { ...examined, store: createStore(parts) };
  } catch (error) {
    connection.client.close();
    throw error;
  }
}

/** A copy in memory is replicated nowhere. */
function replicationOf({ replica, isCopy = false }: StoreOptions): Replication | null {
  if (replica === undefined || isCopy) return null;
  return { ...replica, capture: createCapture() };
}

/** Checks whether the database may be used; changes nothing in it. */
function examine(
  connection: Connection,
  { stamp, highWater }: StoreOptions,
): Omit<OpenedStore, 'store'> | OpenRefusal {
  const refusal = stampRefusal(connection, stamp);
  if (refusal !== null) return { ok: false, ...refusal };
  if (highWater === undefined) return { ok: true, doubt: null, isUnmarked: false };
  const doubt = doubtOf(connection, highWater.file);
  if (doubt !== null && doubt.code !== highWater.accepted)
    return { ok: false, problem: 'old_copy', message: doubt.message };
  const isUnmarked = readHighWater(highWater.file) === null && highWaterOf(connection) !== null;
  return { ok: true, doubt, isUnmarked };
}
