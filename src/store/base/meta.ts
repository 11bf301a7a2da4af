/** The key-value table: the stamp, who holds the database, the block cursor. */
import { eq, sql } from 'drizzle-orm';
import { boundUpsert } from './bound.ts';
import type { Connection } from './connection.ts';
import { meta } from './schema.ts';

export type MetaKey =
  | 'schema'
  /** Which service the database belongs to; empty in the database of a node. */
  | 'service'
  | 'chainId'
  | 'tokenNetworkRegistry'
  | 'ownAddress'
  | 'instance'
  /** When this backup was made; empty in a database that is no backup. */
  | 'backup'
  /** Not empty: an old copy was accepted, and the node has not read all of the chain since then yet. */
  | 'rereading'
  | 'holder'
  | 'cursorBlock'
  | 'cursorHash'
  /** Not empty: of the cursor's block only the logs up to the one with this index are applied. */
  | 'cursorLog'
  /** Blocks that were followed, newest first, with their hashes. */
  | 'trail'
  /**
   * Not empty: a reorganisation replaced blocks below the cursor, and the operator has not accepted the new chain
   * yet.
   */
  | 'fork'
  | 'raised'
  /** Payments that were received before this time, in milliseconds since 1970, can be redeemed no more. */
  | 'redeemableFrom'
  /** The place in the stream of the replica up to which this database has come; absent or empty: it is not replicated. */
  | 'replica';

export type Meta = ReturnType<typeof prepareMeta>;

/** Reads and writes of single keys. The tables must be there. */
export function prepareMeta(connection: Connection) {
  const select = connection.db
    .select({ value: meta.value })
    .from(meta)
    .where(eq(meta.key, sql.placeholder('key')))
    .prepare();
  const upsert = boundUpsert(connection, meta, ['key'], ['value']);
  return {
    get(key: MetaKey): string | null {
      return select.get({ key })?.value ?? null;
    },
    set(key: MetaKey, value: string): void {
      upsert({ key, value });
    },
  };
}
