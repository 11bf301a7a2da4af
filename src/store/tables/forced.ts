/** What partners have left of the registrations that they may force on this node. */
import { lte, sql } from 'drizzle-orm';
import type { ForcedRow } from '../base/batch.ts';
import { boundUpsert } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import { forced } from '../base/schema.ts';

export function prepareForced(connection: Connection) {
  const { db } = connection;
  const at = sql.placeholder;
  const select = db.select().from(forced).prepare();
  const upsert = boundUpsert(connection, forced, ['account'], ['fullBlock']);
  const forget = db
    .delete(forced)
    .where(lte(forced.fullBlock, sql.param(at('block'), forced.fullBlock)))
    .prepare();
  return {
    /** The accounts that may not be full. */
    forced: (): ForcedRow[] => select.all(),
    /**
     * Writes the rows, inside a transaction of the caller, and deletes the accounts that are full again at this block.
     */
    putForced(rows: readonly ForcedRow[], block: bigint): void {
      for (const row of rows) upsert(row);
      forget.run({ block });
    },
  };
}

export type StoredForced = ReturnType<typeof prepareForced>;
