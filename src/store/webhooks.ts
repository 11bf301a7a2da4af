/** How far into the feed each receiver has been told. */
import { eq, sql } from 'drizzle-orm';
import type { Connection } from './connection.ts';
import { webhooks } from './schema.ts';

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
    /** The last number of the feed that the receiver took; null for one that is new. */
    get: (name: string): number | null => select.get({ name })?.seq ?? null,
    /** On disk when this returns. */
    set: (name: string, seq: number): void =>
      write(() => {
        upsert.run({ name, seq });
      }),
  };
}
