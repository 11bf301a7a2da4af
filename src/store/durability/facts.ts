/** Facts about a database file, which are read even while a node is writing it. */
import { count, sql } from 'drizzle-orm';
import type { Connection } from '../base/connection.ts';
import { payments } from '../base/history-schema.ts';
import { type MetaKey, prepareMeta } from '../base/meta.ts';
import { ownerOf } from '../base/migrate.ts';
import { createLive } from '../tables/live.ts';
import { newestStep } from './high-water.ts';

/** A fact is null when the database does not contain it. */
export type DatabaseFacts = {
  chainId: string | null;
  tokenNetworkRegistry: string | null;
  ownAddress: string | null;
  schema: number;
  /** The last block whose logs are in it. */
  block: string | null;
  /** Channels that are not gone, whatever their state. */
  channels: number;
  /** Payments on their way, whichever part this node has in them. */
  pending: number;
  /** Payments of the history. */
  payments: number;
  /** The number of the newest step, which only grows. */
  seq: number;
};

const OF_PAYMENTS: readonly string[] = ['initiator', 'mediator', 'target'];

/** Null when these are not the tables of this program. */
export function factsOf(connection: Connection): DatabaseFacts | null {
  if (ownerOf(connection) !== 'us') return null;
  const { db } = connection;
  const meta = prepareMeta(connection);
  const found = (key: MetaKey) => meta.get(key);
  const kinds = createLive(connection)
    .loadActors()
    .map(({ kind }) => kind);
  return {
    chainId: found('chainId'),
    tokenNetworkRegistry: found('tokenNetworkRegistry'),
    ownAddress: found('ownAddress'),
    schema: Number(found('schema') ?? '0'),
    block: found('cursorBlock') || null,
    channels: kinds.filter((kind) => kind === 'channel').length,
    pending: kinds.filter((kind) => OF_PAYMENTS.includes(kind)).length,
    payments: db.select({ n: count() }).from(payments).get()?.n ?? 0,
    seq: newestStep(connection),
  };
}

/** What SQLite finds wrong with the file; empty when it is sound. Reads all of it. */
export function damageOf({ db }: Connection): string[] {
  return db
    .all<{ integrity_check: string }>(sql`PRAGMA integrity_check`)
    .map((row) => row.integrity_check)
    .filter((line) => line !== 'ok');
}
