/** The key-value table: the stamp, who holds the database, the block cursor. */
import { eq, sql } from 'drizzle-orm';
import type { Connection } from './connection.ts';
import { meta } from './schema.ts';

export type MetaKey =
  | 'schema'
  /** Which service it belongs to; empty in the database of a node. */
  | 'service'
  | 'chainId'
  | 'tokenNetworkRegistry'
  | 'ownAddress'
  | 'instance'
  /** When the backup was made that this file is; empty in a database that is none. */
  | 'backup'
  /** Not empty: an old copy was accepted, and the chain since then is not read to its end yet. */
  | 'rereading'
  /** Not empty: every secret that was registered up to the cursor is known. */
  | 'secretsRead'
  | 'holder'
  | 'cursorBlock'
  | 'cursorHash'
  /** Blocks that were followed, newest first, with their hashes. */
  | 'trail'
  /** Not empty: the chain was replaced below the cursor, and nobody has accepted the new one yet. */
  | 'fork'
  | 'raised';

export type Meta = ReturnType<typeof prepareMeta>;

/** Reads and writes of single keys. The tables must be there. */
export function prepareMeta({ db }: Connection) {
  const select = db
    .select({ value: meta.value })
    .from(meta)
    .where(eq(meta.key, sql.placeholder('key')))
    .prepare();
  const upsert = db
    .insert(meta)
    .values({ key: sql.placeholder('key'), value: sql.placeholder('value') })
    .onConflictDoUpdate({ target: meta.key, set: { value: sql`excluded.value` } })
    .prepare();
  return {
    get(key: MetaKey): string | null {
      return select.get({ key })?.value ?? null;
    },
    set(key: MetaKey, value: string): void {
      upsert.run({ key, value });
    },
  };
}
