/** A disk in memory on which the transactions of another one are done again. */
import { notedElsewhere, type Replay } from '../../store/durability/replay.ts';
import type { Tables } from './tables.ts';
import type { WriteBook } from './write-book.ts';

type Options = {
  /** The tables. Throws when the process that opened them has ended. */
  tables(): Tables;
  write(work: (tables: Tables) => void): void;
  book: Pick<WriteBook, 'workOf'>;
  release(): void;
};

export function createMemoryReplay({ tables, write, book, release }: Options): Replay {
  let isClosed = false;
  return {
    path: ':memory:',
    place: () => tables().facts().place,
    hasOwnSchema: () => true,
    apply({ writes, from, to }) {
      const noted = tables().facts().place;
      if (noted !== from) throw new Error(notedElsewhere(noted, from));
      write((all) => {
        for (const one of writes) book.workOf(one)(all);
        all.setFacts({ place: to });
      });
    },
    leave() {},
    noteCurrent() {
      tables();
      write((all) => all.setFacts({ backup: '' }));
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      release();
    },
  };
}
