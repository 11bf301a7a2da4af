/** The numbers of a table that only grows at one end and is cut off at the other. */
import { asc, desc, lt, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Connection } from './connection.ts';

/** Rows that one commit deletes at most, beside as many as it adds. */
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
  // Two questions: SQLite answers one end of a key from the key, but both ends with a walk through it.
  const seq = sql<number>`${table.seq}`;
  const first = db.select({ seq }).from(table).orderBy(asc(table.seq)).limit(1).get();
  const last = db.select({ seq }).from(table).orderBy(desc(table.seq)).limit(1).get();
  let oldest = first?.seq ?? 1;
  let next = (last?.seq ?? 0) + 1;

  return {
    /** The number of the next row. */
    take: (): number => next++,
    /** After `added` rows: deletes what is too old, a little at a time where the limit was lowered. */
    cut(added: number): void {
      const keepFrom = Math.min(next - limit, oldest + added + PRUNE_STEP);
      if (keepFrom <= oldest) return;
      prune.run({ seq: keepFrom });
      oldest = keepFrom;
    },
    bounds: () => ({ oldest, newest: next - 1 }),
    /** The answer goes back to here, for a transaction that was rolled back. */
    mark(): () => void {
      const kept = { oldest, next };
      return () => {
        ({ oldest, next } = kept);
      };
    },
  };
}
