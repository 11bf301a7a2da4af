/**
 * Brings what commits have written to the write-ahead log into the database's file, in a thread of the driver, while
 * the process goes on. SQLite itself does it in the commit that makes the log longer than a thousand pages: the loop
 * then waits for 4 MB to be on the disk. A checkpoint changes nothing that a reader sees; a process that dies during
 * one leaves the log as it was, and the next one reads it.
 *
 * What is committed meanwhile is left. SQLite begins the log anew only if nothing is, so a node that commits all the time
 * brings that little into the file by itself.
 */
import Libsql from 'libsql/promise';
import type { Connection } from '../base/connection.ts';

const CHECKPOINT = 'PRAGMA wal_checkpoint(PASSIVE)';
/** When SQLite does it by itself: its default. */
const USUAL_PAGES = 1_000;

/**
 * `file`: the database's file; null: it is in memory and has no log. `isThere`: whether that file lies there: another
 * one is nobody's business here.
 */
export function createCheckpoint(
  { client: own }: Connection,
  file: string | null,
  isThere: () => boolean,
) {
  let client: Libsql | null = null;
  let running: Promise<void> | null = null;
  let isClosed = false;

  function close(): void {
    client?.close();
    client = null;
  }

  async function run(path: string): Promise<void> {
    try {
      client ??= new Libsql(path, {});
      await client.exec(CHECKPOINT);
      if (!isClosed && isThere()) own.exec(CHECKPOINT);
    } catch {
      // What could not be brought into the file is in the log, and a commit tries it again.
    } finally {
      running = null;
      if (isClosed) close();
    }
  }

  return {
    /** Resolves when it is done, or when it could not be done. Never rejects. */
    async checkpoint(): Promise<void> {
      if (file === null || isClosed || !isThere()) return;
      running ??= run(file);
      await running;
    },
    close(): void {
      isClosed = true;
      if (running === null) close();
    },
  };
}

/** Does work that writes, without a checkpoint at its end. */
export function withoutCheckpoint({ client }: Connection, work: () => void): void {
  client.pragma('wal_autocheckpoint = 0');
  try {
    work();
  } finally {
    client.pragma(`wal_autocheckpoint = ${USUAL_PAGES}`);
  }
}
