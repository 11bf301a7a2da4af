/** How far into the feed each receiver of webhooks was informed. */
import { eq, sql } from 'drizzle-orm';
import type { Connection } from '../base/connection.ts';
import { webhooks } from '../base/schema.ts';

/** `write` runs its argument as one durable transaction. */
export function prepareWebhooks({ db }: Connection, write: (work: () => void) => void) {
  const at = sql.placeholder;
  const select = db
    .select({ seq: webhooks.seq })
    .from(webhooks)
    .where(eq(webhooks.name, at('name')))
    .prepare();
  const upsert = db
    .insert(webhooks)
    .values({ name: at('name'), seq: at('seq') })
    .onConflictDoUpdate({ target: webhooks.name, set: { seq: sql`excluded.seq` } })
    .prepare();
  return {
    /** The last number of the feed that the receiver has accepted; null for a new receiver. */
    get: (name: string): number | null => select.get({ name })?.seq ?? null,
    /** Stores the number, which is on disk when this returns. */
    set: (name: string, seq: number): void =>
      write(() => {
        upsert.run({ name, seq });
      }),
  };
}
