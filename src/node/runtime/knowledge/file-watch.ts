/** What a node knows of its files on the disk. The host watches them: `src/host/database/file-watch.ts`. */

/** Texts for people, which say what to do; null while all is well. */
export type FileWatch = {
  /** The database was deleted or replaced while it is open: what is committed is lost with the process. */
  database: { trouble(): string | null };
  /** What the next start needs is missing. */
  others: { trouble(): string | null };
  /** Which certificates end soon. */
  certificates: { trouble(): string | null };
  /** When the newest backup was made, in milliseconds since 1970; null: none was. */
  backup: { madeAt(): number | null };
  /** Whether the database was written anew: nothing can be committed any more, and the node is being ended. */
  isOver(): boolean;
  /** Calls the listener when one of the troubles begins or ends. */
  listen(listener: () => void): void;
};

/** Of a database that is not on a disk. */
export const unwatched: FileWatch = {
  database: { trouble: () => null },
  others: { trouble: () => null },
  certificates: { trouble: () => null },
  backup: { madeAt: () => null },
  isOver: () => false,
  listen() {},
};
