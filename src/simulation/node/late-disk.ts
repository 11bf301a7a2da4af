/**
 * A disk that has a batch only some time after it was written, while the process goes on. When the process dies
 * meanwhile, some of the newest batches are lost, as by a power cut, or none.
 */

import { createWaiters } from '../../basics/waiters.ts';
import type { Batch } from '../../store/base/batch.ts';
import type { Store } from '../../store/store.ts';
import { watchStore } from '../disk/watched-store.ts';
import { Violation } from '../invariants/violation.ts';
import type { Draw } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';

type Options = {
  /** Milliseconds from writing a batch until the disk has it; 0: it has it at once. */
  lateMs(): number;
  scheduler: Pick<Scheduler, 'after'>;
  /** Does work of the process now, or when it goes on. */
  awake(work: () => void): void;
  /** Throws when the process is dead. */
  expectAlive(): void;
  /** How many writes have changed something on the disk. */
  writes(): number;
  /** Called with each batch that the disk has, before anything follows from it. An exception is the end of the run. */
  onDurable(batch: Batch): void;
};

/** The most batches that a process has written and its disk has not. */
export const MOST_LATE = 8;

export function createLateDisk(store: Store, options: Options) {
  const { lateMs, scheduler, awake, onDurable } = options;
  /** `changes`: whether the batch changed anything. Oldest first. */
  let pending: { batch: Batch; changes: boolean }[] = [];
  let durable = 0;
  const waiters = createWaiters();
  const written = () => durable + pending.length;

  /** The disk has so many batches from now on. */
  function have(count: number) {
    while (durable < count) {
      const next = pending.shift();
      durable += 1;
      if (next !== undefined) onDurable(next.batch);
    }
  }

  function arrive(count: number) {
    try {
      have(count);
    } catch (error) {
      waiters.fail(error);
      return;
    }
    waiters.tell(durable);
  }

  const watched = watchStore(store, {
    expectAlive: options.expectAlive,
    refuse() {},
    // Every other write waits for the disk, which then has all batches before it.
    wrote: () => have(written()),
  });

  return {
    store: {
      ...watched,
      commit(batch: Batch): void {
        options.expectAlive();
        const before = options.writes();
        store.commit(batch);
        pending.push({ batch, changes: options.writes() > before });
        if (lateMs() === 0) have(written());
      },
      whenDurable(
        done: () => void,
        fail: (error: unknown) => void,
        onDisk: () => void = () => {},
      ): void {
        const commits = written();
        // If there is a replica, it is waited for when the disk has the batch.
        const arrived = () => store.whenDurable(done, fail, onDisk);
        if (waiters.isEmpty() && durable === commits) arrived();
        else {
          waiters.add({ commits, done: arrived, fail });
          scheduler.after(lateMs(), () => awake(() => arrive(commits)));
        }
      },
      sync: () => arrive(written()),
    },
    /** The process is dead. Returns how many writes its disk never got; the batches that it has are told of. */
    die(draw: Draw): number {
      const kept = pending.length === 0 ? 0 : draw.integer(0, pending.length);
      const lost = pending.slice(kept).filter(({ changes }) => changes).length;
      pending = pending.slice(0, kept);
      waiters.drop();
      try {
        have(written());
      } catch (error) {
        // It was reported before it was thrown, and it ends the run.
        if (!(error instanceof Violation)) throw error;
      }
      return lost;
    },
  };
}
