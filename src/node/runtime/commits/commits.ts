/**
 * Batches on their way to the disk, and to the replica if there is one: each is written at once, and performed when it
 * has arrived, in the order in which they were written. Meanwhile turns go on and join the next batch.
 */
import type { Fault } from '../../../basics/fault.ts';
import type { Store } from '../../../store/store.ts';
import type { SealedBatch } from './open-batch.ts';

export type CommitOptions = {
  store: Pick<Store, 'commit' | 'whenDurable' | 'sync' | 'checkpoint'>;
  /** Called with each batch that is on disk, before anything follows from it. */
  onDurable(batch: SealedBatch): void;
  /** Sends what the batch asked for. */
  perform(batch: SealedBatch): void;
  /** Called before that, when a batch is on the disk and not in the replica: does what cannot wait and harms nobody. */
  protect(batch: SealedBatch): void;
  fault: Fault;
};

/** More batches than these do not wait for a slow disk: then the process does, and its partners and callers with it. */
const MOST_ON_THE_WAY = 4;
/** Commits after which their pages are brought into the file: some hundred. */
const COMMITS_PER_CHECKPOINT = 32;

/** `guarded` runs work that must not be done any more once something has failed. */
export function createCommits(options: CommitOptions, guarded: (work: () => void) => void) {
  const { store, fault } = options;
  /** Written and not on disk, oldest first. */
  let onTheWay = 0;
  /** On disk, and not performed: filled only while another batch is performed. */
  const durable: SealedBatch[] = [];
  let isPerforming = false;
  let inLog = 0;

  /** A batch is performed to its end before the next: what it does may write the next one. */
  function arrived(batch: SealedBatch) {
    onTheWay -= 1;
    durable.push(batch);
    if (isPerforming) return;
    isPerforming = true;
    try {
      for (let next = durable.shift(); next !== undefined; next = durable.shift()) {
        fault('commit.after');
        options.onDurable(next);
        options.perform(next);
      }
    } finally {
      isPerforming = false;
    }
  }

  return {
    /** Whether a batch waits for the disk. */
    isWaiting: () => onTheWay > 0,
    /** Calls `after` when the batch is performed: at once, if the disk has it at once. Throws when it cannot be written. */
    write(batch: SealedBatch, after: () => void): void {
      fault('commit.before');
      store.commit(batch.batch);
      onTheWay += 1;
      inLog = (inLog + 1) % COMMITS_PER_CHECKPOINT;
      if (inLog === 0) void store.checkpoint();
      fault('commit.written');
      const done = () =>
        guarded(() => {
          arrived(batch);
          after();
        });
      const fail = (error: unknown) =>
        guarded(() => {
          throw error;
        });
      store.whenDurable(done, fail, () => guarded(() => options.protect(batch)));
      if (onTheWay > MOST_ON_THE_WAY) store.sync();
    },
    /**
     * Returns when all batches are on disk. Unless another batch is being performed, or the replica does not have them,
     * they are performed, too.
     */
    settle(): void {
      if (onTheWay > 0) store.sync();
    },
  };
}
