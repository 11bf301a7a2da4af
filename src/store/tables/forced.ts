/** What partners have left of the registrations that they may force on this node. */
import { lte, sql } from 'drizzle-orm';
import type { ForcedRow } from '../base/batch.ts';
import type { Connection } from '../base/connection.ts';
import { forced } from '../base/schema.ts';

export function prepareForced({ db }: Connection) {
  const at = sql.placeholder;
  const select = db.select().from(forced).prepare();
  const upsert = db
    .insert(forced)
    .values({ account: at('account'), fullBlock: at('fullBlock') })
    .onConflictDoUpdate({ target: forced.account, set: { fullBlock: sql`excluded.full_block` } })
    .prepare();
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
      for (const row of rows) upsert.run({ ...row });
      forget.run({ block });
    },
  };
}

export type StoredForced = ReturnType<typeof prepareForced>;
