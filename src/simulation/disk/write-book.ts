/**
 * The transactions of replicated disks in memory, by number: where a real database captures SQL, these capture the
 * number of what was done, and another disk does the same.
 */
import type { Write } from '../../store/durability/capture.ts';
import type { Tables } from './tables.ts';

type Work = (tables: Tables) => void;
export type WriteBook = ReturnType<typeof createWriteBook>;

const SQL = 'do';

export function createWriteBook() {
  const works: Work[] = [];
  return {
    /** Keeps the work, which changes nothing but the tables that it is given. */
    note(work: Work): Write {
      works.push(work);
      return { sql: SQL, params: [works.length - 1] };
    },
    /** Throws when nothing was kept under this number. */
    workOf({ sql, params: [number] }: Write): Work {
      const work = sql === SQL && typeof number === 'number' ? works[number] : undefined;
      if (work === undefined) throw new Error('disk: a write that nobody has made');
      return work;
    },
  };
}
