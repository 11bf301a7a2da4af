/** The secrets that were registered on chain, by whomever. */
import { eq, sql } from 'drizzle-orm';
import type { Hash } from '../protocol/hex.ts';
import type { Connection } from './connection.ts';
import { ended } from './schema.ts';

/** `block`: in which it was registered; null: an older version saw it, and noted no block. */
export type RegisteredSecret = { block: bigint | null };

/** Under which a registered secret stands among what has ended: no payment may begin with it. */
export const registeredId = (secrethash: string) => `registered:${secrethash}`;

export function prepareSecrets({ db }: Connection) {
  const byId = db
    .select({ block: ended.block })
    .from(ended)
    .where(eq(ended.id, sql.placeholder('id')))
    .prepare();
  return {
    /** Null when no registration of it was seen. */
    registeredSecret: (secrethash: Hash): RegisteredSecret | null =>
      byId.get({ id: registeredId(secrethash) }) ?? null,
  };
}
