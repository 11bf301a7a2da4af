/** Where each transaction of the database goes besides the disk. */
import type { Capture, Write } from './capture.ts';

/** What a replica does for the database. */
export type Replica = {
  /**
   * Called inside each transaction, after its last write. Returns what the database notes with the transaction as its
   * place in the replica. It may be called again for the same place when the transaction could not be committed.
   */
  seal(writes: readonly Write[]): string;
  /** Called when the transaction that was sealed last is committed: sends it. */
  committed(): void;
  /** Whether what follows from a commit waits for the replica now. */
  isWaitedFor(): boolean;
  /** Calls `done` when the replica has all that was committed so far; in the order of the calls, maybe at once. */
  whenAcknowledged(done: () => void): void;
};

export type Replication = Replica & { capture: Capture };
