/**
 * When commits are durable. SQLite writes each commit to the end of its write-ahead log and does not wait for the disk
 * (`synchronous = NORMAL`); this waits for it, in the thread pool, while the node goes on. A power cut then loses
 * the newest commits or none: the log's checksums end it at the first frame that is not whole. So whatever follows from
 * a commit waits until `whenDurable` says so.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';

export type Durability = ReturnType<typeof createDurability>;

type Waiting = { commits: number; done(): void; fail(error: unknown): void };

/** How a file's data is brought to the disk. */
export type Disk = {
  fdatasync(handle: number, done: (error: Error | null) => void): void;
  fdatasyncSync(handle: number): void;
};

/** `log`: the path of the write-ahead log, which exists; null: the database is in memory, and nothing is durable. */
export function createDurability(log: string | null, disk: Disk = { fdatasync, fdatasyncSync }) {
  const handle = log === null ? null : openSync(log, 'r+');
  /** How many commits are in the log, and how many of them are on the disk. */
  let written = 0;
  let durable = 0;
  let isSyncing = false;
  let isClosed = false;
  /** After one failure the system may have dropped what it could not write: nothing is durable any more. */
  let failure: Error | null = null;
  let waiting: Waiting[] = [];

  function fail(error: Error) {
    failure = error;
    const left = waiting;
    waiting = [];
    for (const one of left) one.fail(error);
  }

  /** Calls, in order, everybody whose commits are on the disk. */
  function tell() {
    for (let next = waiting[0]; next !== undefined && next.commits <= durable; next = waiting[0]) {
      waiting.shift();
      next.done();
    }
  }

  function begin() {
    if (handle === null || isSyncing || isClosed || waiting.length === 0) return;
    isSyncing = true;
    const commits = written;
    disk.fdatasync(handle, (error) => {
      isSyncing = false;
      if (isClosed) return closeSync(handle);
      if (error !== null) return fail(error);
      durable = Math.max(durable, commits);
      tell();
      begin();
    });
  }

  /** Waits for the disk, and the whole process with it. */
  function force() {
    if (failure !== null) throw failure;
    if (handle === null || durable === written) return;
    try {
      disk.fdatasyncSync(handle);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw failure;
    }
    durable = written;
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
      if (failure !== null) onFailure(failure);
      else if (waiting.length === 0 && durable === written) done();
      else {
        waiting.push({ commits: written, done, fail: onFailure });
        begin();
      }
    },
    /** The same for all who wait, now: the process stands still until the disk has everything. */
    sync(): void {
      force();
      tell();
    },
    /** Nobody who waits hears any more. */
    close(): void {
      if (isClosed) return;
      isClosed = true;
      waiting = [];
      if (handle !== null && !isSyncing) closeSync(handle);
    },
  };
}
