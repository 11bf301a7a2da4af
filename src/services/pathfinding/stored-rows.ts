/**
 * All stored rows, read once at the start. Drizzle writes the queries. The fields of a row are read here, because the
 * steps in which Drizzle does it take a tenth of the start of a service that knows a large network.
 */
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Hex } from '../../basics/hex.ts';
import type { Connection } from '../../store/base/connection.ts';
import { capacities, channels, fees } from './schema.ts';

export type GraphChannelRow = typeof channels.$inferSelect;
type CapacityRow = typeof capacities.$inferSelect;
export type FeeRow = typeof fees.$inferSelect;
/** A row as the driver gives it: its place, then the columns in the order of the query. */
type Raw = readonly unknown[];

/** Rows that are read at once. */
const PAGE = 1_000;

export function prepareStored({ db }: Connection) {
  const place = sql<number>`rowid`;
  const isBehind = sql`rowid > ${sql.placeholder('after')}`;
  const page = <T>(query: {
    where(is: SQL): { orderBy(by: SQL): { limit(rows: number): T } };
  }): T => query.where(isBehind).orderBy(place).limit(PAGE);
  // The columns come in the order of the schema.
  const channelPage = page(
    db.select({ place, ...getTableColumns(channels) }).from(channels),
  ).prepare();
  const capacityPage = page(
    db.select({ place, ...getTableColumns(capacities) }).from(capacities),
  ).prepare();
  const feePage = page(db.select({ place, ...getTableColumns(fees) }).from(fees)).prepare();

  /** Each throws when a field is not what this program writes. */
  return {
    channels: () => inPages((after) => channelPage.values({ after }), channelIn),
    capacities: () => inPages((after) => capacityPage.values({ after }), capacityIn),
    fees: () => inPages((after) => feePage.values({ after }), feeIn),
  };
}

function channelIn(raw: Raw): GraphChannelRow {
  return {
    tokenNetwork: hex(raw[1]),
    channelId: uint(raw[2]),
    participant1: hex(raw[3]),
    participant2: hex(raw[4]),
    settleTimeout: uint(raw[5]),
    deposit1: uint(raw[6]),
    deposit2: uint(raw[7]),
    withdraw1: uint(raw[8]),
    withdraw2: uint(raw[9]),
  };
}

function capacityIn(raw: Raw): CapacityRow {
  return {
    tokenNetwork: hex(raw[1]),
    channelId: uint(raw[2]),
    updatingParticipant: hex(raw[3]),
    updatingNonce: uint(raw[4]),
    otherNonce: uint(raw[5]),
    updatingCapacity: uint(raw[6]),
    otherCapacity: uint(raw[7]),
    revealTimeout: uint(raw[8]),
  };
}

function feeIn(raw: Raw): FeeRow {
  return {
    tokenNetwork: hex(raw[1]),
    channelId: uint(raw[2]),
    updatingParticipant: hex(raw[3]),
    flat: uint(raw[4]),
    proportional: uint(raw[5]),
    capFees: raw[6] === 1,
    curve: raw[7] === null ? null : text(raw[7]),
    timestamp: text(raw[8]),
  };
}

function text(field: unknown): string {
  if (typeof field !== 'string') throw new TypeError('service: a field holds no text');
  return field;
}

const isHex = (field: string): field is Hex => field.startsWith('0x');

function hex(field: unknown): Hex {
  const found = text(field);
  if (!isHex(found)) throw new TypeError('service: a field holds no address');
  return found;
}

const uint = (field: unknown): bigint => BigInt(text(field));

/** Reads page by page: all rows of a large network at once would keep the garbage collector busy. */
function* inPages<T>(read: (after: number) => Raw[], rowIn: (raw: Raw) => T): Iterable<T> {
  for (let page = read(0); page.length > 0; page = read(Number(page.at(-1)?.[0])))
    for (const raw of page) yield rowIn(raw);
}
