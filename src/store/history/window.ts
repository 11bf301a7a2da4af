/** The numbers of a table that only grows at one end and is cut off at the other. */
import { asc, desc, lt, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Connection } from '../base/connection.ts';

/** Most rows that one commit deletes, besides as many as it adds. */
const PRUNE_STEP = 100;

type Numbered = SQLiteTable & { seq: SQLiteColumn };

/**
 * Counts the rows of a table with a `seq`, of which the newest `limit` are kept. The newest row is never
 * deleted, so that no number comes twice, after a restart either. `limit` is at least 1.
 */
export function openWindow({ db }: Connection, table: Numbered, limit: number) {
  const prune = db
    .delete(table)
    .where(lt(table.seq, sql.placeholder('seq')))
    .prepare();
  // Two queries: SQLite finds one end of a key directly, but both ends in one query only by reading all of it.
  const seq = sql<number>`${table.seq}`;
  const first = db.select({ seq }).from(table).orderBy(asc(table.seq)).limit(1).get();
  const last = db.select({ seq }).from(table).orderBy(desc(table.seq)).limit(1).get();
  let oldest = first?.seq ?? 1;
  let next = (last?.seq ?? 0) + 1;

  return {
    /** The number of the next row. */
    take: (): number => next++,
    /** To be called after `added` rows: deletes rows that are too old, a few at a time when the limit was lowered. */
    cut(added: number): void {
      const keepFrom = Math.min(next - limit, oldest + added + PRUNE_STEP);
      if (keepFrom <= oldest) return;
      prune.run({ seq: keepFrom });
      oldest = keepFrom;
    },
    bounds: () => ({ oldest, newest: next - 1 }),
    /** Returns a function that goes back to the present numbers, for a transaction that was rolled back. */
    mark(): () => void {
      const kept = { oldest, next };
      return () => {
        ({ oldest, next } = kept);
      };
    },
  };
}
