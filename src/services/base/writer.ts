/** Combines the writes of many callers in one transaction: a commit costs the same for one row and for a hundred. */
import type { ServiceDatabase } from './database.ts';

type Waiting = { work: () => void; done: () => void };

/**
 * Commits together what is added within one turn of the event loop. `onFailure` is called once, when a commit failed:
 * nothing is written after it, and waiting callers are never answered.
 */
export function createServiceWriter(
  { write }: Pick<ServiceDatabase, 'write'>,
  onFailure: (error: unknown) => void,
) {
  let waiting: Waiting[] = [];
  let hasFailed = false;

  function flush(): void {
    if (hasFailed || waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    try {
      write(() => {
        for (const { work } of batch) work();
      });
    } catch (error) {
      hasFailed = true;
      onFailure(error);
      return;
    }
    for (const { done } of batch) done();
  }

  return {
    /** Resolves when `work`, which only writes to the database, is on disk. */
    add(work: () => void): Promise<void> {
      if (waiting.length === 0) setImmediate(flush);
      return new Promise((done) => void waiting.push({ work, done }));
    },
    /** Writes at once what waits; to be called before the database is closed. */
    flush,
  };
}
