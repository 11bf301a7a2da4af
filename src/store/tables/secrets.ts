/** The secrets that were registered on chain, by whomever. */
import { eq, sql } from 'drizzle-orm';
import type { Hash } from '../../basics/hex.ts';
import type { Connection } from '../base/connection.ts';
import { ended } from '../base/schema.ts';

/** `block`: the block of the registration; null: the chain has replaced it since. */
export type RegisteredSecret = { block: bigint | null };

/** The id under which a registered secret is stored among the ended actors: no payment may begin with it. */
export const registeredId = (secrethash: string) => `registered:${secrethash}`;

export function prepareSecrets({ db }: Connection) {
  const byId = db
    .select({ block: ended.block })
    .from(ended)
    .where(eq(ended.id, sql.placeholder('id')))
    .prepare();
  return {
    /** Null when no registration of the secret was seen. */
    registeredSecret: (secrethash: Hash): RegisteredSecret | null =>
      byId.get({ id: registeredId(secrethash) }) ?? null,
  };
}
