/**
 * When commits are durable. SQLite writes each commit to the end of its write-ahead log and does not wait for the disk
 * (`synchronous = NORMAL`); this does. A quick disk is waited for on the spot, which costs less than to come back
 * later. While a slow one writes, in the thread pool, the node goes on. A power cut then loses the newest commits or
 * none: the log's checksums end it at the first frame that is not whole. So whatever follows from a commit waits until
 * `whenDurable` says so.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { createWaiters } from '../../basics/waiters.ts';

export type Durability = ReturnType<typeof createDurability>;

/** How a file's data is brought to the disk. */
export type Disk = {
  fdatasync(handle: number, done: (error: Error | null) => void): void;
  fdatasyncSync(handle: number): void;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
};
const REAL: Disk = { fdatasync, fdatasyncSync, now: () => performance.now() };

/** A disk that takes longer is not waited for on the spot: the event loop would stand still. */
const QUICK_MS = 2;
/** The share of the newest measurement in the average: one slow write among many does not make a disk slow. */
const WEIGHT = 0.1;
/** How many times a slow disk is left to the thread pool before it is tried on the spot again. */
const PATIENCE = 100;

/**
 * `log`: the path of the write-ahead log, which exists; null: the database is in memory, and nothing is durable.
 * `mayStandStill`: whether anything is done as soon as the disk has a commit. What has to come back from a replica anyway
 * is later than the thread pool, and the process would stand still for nothing.
 */
export function createDurability(
  log: string | null,
  disk: Disk = REAL,
  mayStandStill = () => true,
) {
  const handle = log === null ? null : openSync(log, 'r+');
  /** How many commits are in the log, and how many of them are on the disk. */
  let written = 0;
  let durable = 0;
  /** What waiting on the spot takes on average, in milliseconds. */
  let usualMs = 0;
  let leftToPool = 0;
  let isSyncing = false;
  let isClosed = false;
  /** After one failure the system may have dropped what it could not write: nothing is durable any more. */
  let failure: Error | null = null;
  const waiters = createWaiters();

  function isQuick(): boolean {
    if (!mayStandStill()) return false;
    if (usualMs < QUICK_MS || leftToPool >= PATIENCE) leftToPool = 0;
    else leftToPool += 1;
    return leftToPool === 0;
  }

  function begin() {
    if (handle === null || isSyncing || isClosed || waiters.isEmpty()) return;
    isSyncing = true;
    const commits = written;
    disk.fdatasync(handle, (error) => {
      isSyncing = false;
      if (isClosed) return closeSync(handle);
      failure ??= error;
      if (failure !== null) return waiters.fail(failure);
      durable = Math.max(durable, commits);
      waiters.tell(durable);
      begin();
    });
  }

  /** Waits for the disk, and the whole process with it. */
  function waitOnTheSpot() {
    if (handle === null || failure !== null || durable === written) return;
    const begin = disk.now();
    try {
      disk.fdatasyncSync(handle);
      usualMs += WEIGHT * (disk.now() - begin - usualMs);
      durable = written;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  function force() {
    waitOnTheSpot();
    if (failure !== null) throw failure;
  }

  return {
    /** To be called after each commit. */
    noteWritten(): void {
      written += 1;
      if (handle === null) durable = written;
    },
    /** Throws when the disk fails. Those who wait for `whenDurable` hear of it in their own turn. */
    force,
    /**
     * Calls `done` once every commit so far is on the disk; at once, if they are. Callers hear it in the order in which
     * they asked. `onFailure`: the disk failed, and nobody will ever hear.
     */
    whenDurable(done: () => void, onFailure: (error: unknown) => void): void {
      if (waiters.isEmpty() && durable < written && isQuick()) waitOnTheSpot();
      if (failure !== null) onFailure(failure);
      else if (waiters.isEmpty() && durable === written) done();
      else {
        waiters.add({ commits: written, done, fail: onFailure });
        begin();
      }
    },
    /** The same for all who wait, now: the process stands still until the disk has everything. */
    sync(): void {
      force();
      waiters.tell(durable);
    },
    /** Nobody who waits hears any more. */
    close(): void {
      if (isClosed) return;
      isClosed = true;
      waiters.drop();
      if (handle !== null && !isSyncing) closeSync(handle);
    },
  };
}
