/** How far into the feed each receiver of webhooks was informed. */
import { eq, sql } from 'drizzle-orm';
import { boundUpsert } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import { webhooks } from '../base/schema.ts';

/** `write` runs its argument as one durable transaction. */
export function prepareWebhooks(connection: Connection, write: (work: () => void) => void) {
  const select = connection.db
    .select({ seq: webhooks.seq })
    .from(webhooks)
    .where(eq(webhooks.name, sql.placeholder('name')))
    .prepare();
  const upsert = boundUpsert(connection, webhooks, ['name'], ['seq']);
  return {
    /** The last number of the feed that the receiver has accepted; null for a new receiver. */
    get: (name: string): number | null => select.get({ name })?.seq ?? null,
    /** Stores the number, which is on disk when this returns. */
    set: (name: string, seq: number): void =>
      write(() => {
        upsert({ name, seq });
      }),
  };
}
