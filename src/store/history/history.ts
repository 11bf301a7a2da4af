/** The payment history, as the API shows it, and which secrethashes it knows. */
import { existsSync } from 'node:fs';
import { and, asc, count, eq, gt, gte, lte, max, type SQL, sql } from 'drizzle-orm';
import type { Address, Hash } from '../../basics/hex.ts';
import { boundNumber } from '../base/bound.ts';
import { unhex } from '../base/columns.ts';
import { type Connection, connect } from '../base/connection.ts';
import { historyKeys, historyParts, payments } from '../base/history-schema.ts';
import { channels } from '../base/schema.ts';
import type { Slices } from '../base/slices.ts';
import { KEYS, type Parts } from './parts.ts';
import { entryOf, type PaymentRow, RECEIVED, SHOWN, type ShownPayment } from './payment-row.ts';
import type { Used } from './used.ts';

/** A payment that this node got. `time`: when it was paid, in milliseconds since 1970. */
export type ReceivedPayment = {
  initiator: Address;
  token: Address;
  paymentId: bigint;
  amount: bigint;
  time: number;
};
/** A payment of one channel. `seq` is its place in the history, `block` the newest one at its end. */
export type ChannelPayment = { seq: number; block: bigint; record: PaymentRow };

/**
 * Without a token, partner or identifier (null), all payments match. `partner` is the other end of the payment, `offset` counts
 * within the payments that match.
 */
export type PaymentQuery = {
  token: Address | null;
  partner: Address | null;
  /** Absent: any. */
  paymentId?: bigint | null;
  offset: number;
  limit: number | null;
};

/** Rows that one read returns: it takes a few milliseconds, together with what is made of the rows. */
const ROWS_AT_ONCE = 400;
/** Most rows that one read passes over in search of those that match; and most numbers, where keys lead to them. */
const MOST_PASSED = 2_000;
const MOST_PASSED_BY_KEYS = 16_384;

const at = sql.placeholder;

type Db = Connection['db'];
type Range = { after: number; upTo: number };
type Wanted = Record<string, unknown>;
/** Rows of a range of numbers, in order, and how many there are. */
type List = {
  most: number;
  count(wanted: Wanted & Range): number;
  rows(wanted: Wanted & Range & { limit: number; offset: number }): ShownPayment[];
};
/** How the rows that match are found: by keys in closed parts, by reading through the others. */
type Lists = { closed: List; open: List };

type History = { parts: Pick<Parts, 'count' | 'closedTo'>; used: Pick<Used, 'find' | 'has'> };

export function prepareHistory(connection: Connection, { parts, used }: History) {
  const { db } = connection;
  const token = eq(payments.token, unhex('token', payments.token));
  const partner = eq(payments.partner, unhex('partner', payments.partner));
  const paymentId = eq(payments.paymentId, unhex('paymentId', payments.paymentId));
  const scan = (filter?: SQL): Lists => {
    const list = prepareScan(db, filter);
    return { closed: list, open: list };
  };
  const byKey = (kind: number, key: SQL, filter: SQL, ...others: SQL[]): Lists => ({
    closed: prepareKeys(db, { kind, key }, and(...others)),
    open: prepareScan(db, and(filter, ...others)),
  });
  const ofPartner = (...others: SQL[]) =>
    byKey(KEYS.partner, unhex('partner', payments.partner), partner, ...others);
  const ofId = (...others: SQL[]) =>
    byKey(KEYS.paymentId, unhex('paymentId', payments.paymentId), paymentId, ...others);
  // One set of statements per set of filters: a condition that may be absent would keep SQLite from the keys.
  const lists = {
    any: { all: scan(), token: scan(token), partner: ofPartner(), both: ofPartner(token) },
    id: { all: ofId(), token: ofId(token), partner: ofId(partner), both: ofId(token, partner) },
  };
  const lastSeq = prepareLastSeq(db);
  const one = db
    .select()
    .from(payments)
    .where(eq(payments.seq, at('seq')))
    .prepare();
  const numberOf = boundNumber(
    connection,
    db
      .select({ number: channels.number })
      .from(channels)
      .where(eq(channels.id, at('channel'))),
  );
  const isLate = gte(payments.block, sql.param(at('fromBlock'), payments.block));
  const inLatePart = gte(historyParts.block, sql.param(at('fromBlock'), payments.block));
  const ofChannel: Lists = {
    closed: prepareKeys(
      db,
      { kind: KEYS.channel, key: sql`${at('channel')}` },
      and(inLatePart, isLate),
    ),
    open: prepareScan(db, and(eq(payments.channel, at('channel')), isLate)),
  };

  function* ofThisChannel(
    channel: string,
    fromBlock: bigint,
    last: number,
  ): Generator<ChannelPayment[]> {
    const number = numberOf({ channel });
    if (number === null) return;
    const wanted = { channel: number, fromBlock };
    for (const rows of slicesOf(ofChannel, wanted, { last, closedTo: parts.closedTo() }))
      yield rows.map((row) => ({ seq: row.seq, block: row.block, record: entryOf(row) }));
  }

  return {
    /** The payments that match at the moment of the call, oldest first. */
    payments: ({ token, partner, paymentId, offset, limit }: PaymentQuery): Slices<PaymentRow> => {
      const {
        all,
        token: ofToken,
        partner: ofOne,
        both,
      } = paymentId == null ? lists.any : lists.id;
      const withToken = partner === null ? ofToken : both;
      const list = token !== null ? withToken : partner === null ? all : ofOne;
      const end = { last: lastSeq(), closedTo: parts.closedTo(), offset, limit };
      return rowsOf(slicesOf(list, { token, partner, paymentId }, end));
    },
    /** Whether a payment in the history, or the actor of an ended one, has this secrethash. */
    isSecrethashUsed: used.has,
    /** How many payments there are at the moment of the call. */
    paymentCount: parts.count,
    /** The payments that a channel has carried from a block on, as of the moment of the call, oldest first. */
    paymentsOf: (channel: string, fromBlock: bigint): Slices<ChannelPayment> =>
      ofThisChannel(channel, fromBlock, lastSeq()),
    /** The payment to this node with this secrethash, once it was paid; null: there is none in the history. */
    receivedPayment(secrethash: Hash): ReceivedPayment | null {
      for (const seq of used.find(secrethash)) {
        const row = seq === 0 ? undefined : one.get({ seq });
        if (row === undefined || row.event !== RECEIVED || row.secrethash !== secrethash) continue;
        const { partner: initiator, token, paymentId, amount, time } = row;
        return { initiator, token, paymentId, amount, time };
      }
      return null;
    },
  };
}

function prepareLastSeq(db: Db): () => number {
  const newest = db
    .select({ seq: max(payments.seq) })
    .from(payments)
    .prepare();
  return () => newest.get()?.seq ?? 0;
}

/**
 * The whole history in a database file, oldest first, read while a node may be writing it and deleting from it. Throws
 * when there is no such file, or when its tables are others.
 */
export function openHistory(file: string): { payments: Slices<PaymentRow>; close(): void } {
  // The driver has no read-only mode, and creates a file that does not exist.
  if (!existsSync(file)) throw new Error(`there is no database ${file}`);
  const connection = connect(file);
  const { client, db } = connection;
  try {
    client.pragma('query_only = ON');
    const list = prepareScan(db);
    const rows = slicesOf({ closed: list, open: list }, {}, { last: prepareLastSeq(db)() });
    return { payments: rowsOf(rows), close: () => void client.close() };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** From `after`, exclusive, to `upTo`. */
const inRange = and(gt(payments.seq, at('after')), lte(payments.seq, at('upTo')));

/** The rows of the range, by reading through all of them. */
function prepareScan(db: Db, filter?: SQL): List {
  const range = and(inRange, filter);
  const counted = db.select({ rows: count() }).from(payments).where(range).prepare();
  const some = db
    .select(SHOWN)
    .from(payments)
    .where(range)
    .orderBy(asc(payments.seq))
    .limit(at('limit'))
    .offset(at('offset'))
    .prepare();
  return {
    most: MOST_PASSED,
    count: (wanted) => counted.get(wanted)?.rows ?? 0,
    rows: (wanted) => some.all(wanted),
  };
}

/** The same by their keys, in closed parts. One part after the other: that is the order of their numbers, too. */
function prepareKeys(db: Db, { kind, key }: { kind: number; key: SQL }, filter?: SQL): List {
  const { number, source, fromSeq, toSeq } = historyParts;
  const isPart = and(
    eq(source, 'payments'),
    gt(toSeq, at('after')),
    lte(fromSeq, at('upTo')),
    eq(historyKeys.part, number),
    eq(historyKeys.kind, kind),
    sql`${historyKeys.key} = ${key}`,
  );
  // A part that was closed anew, when a process had died meanwhile, may have keys of later rows.
  const isRow = and(
    eq(payments.seq, historyKeys.seq),
    gte(payments.seq, fromSeq),
    lte(payments.seq, toSeq),
  );
  const condition = and(isPart, isRow, inRange, filter);
  // CROSS: SQLite keeps the order of the tables.
  const counted = db
    .select({ rows: count() })
    .from(historyParts)
    .crossJoin(historyKeys)
    .crossJoin(payments)
    .where(condition)
    .prepare();
  const some = db
    .select(SHOWN)
    .from(historyParts)
    .crossJoin(historyKeys)
    .crossJoin(payments)
    .where(condition)
    .orderBy(asc(number), asc(historyKeys.seq))
    .limit(at('limit'))
    .offset(at('offset'))
    .prepare();
  return {
    most: MOST_PASSED_BY_KEYS,
    count: (wanted) => counted.get(wanted)?.rows ?? 0,
    rows: (wanted) => some.all(wanted),
  };
}

/** `last`: the newest row that counts; `closedTo`: up to there keys lead to the rows; of those that match, `limit` from `offset` on. */
type End = { last: number; closedTo?: number; offset?: number; limit?: number | null };

/** Reads by number, never by an offset that grows, so that the last slice costs no more than the first. */
function* slicesOf(
  { closed, open }: Lists,
  wanted: Wanted,
  { last, closedTo = 0, offset = 0, limit = null }: End,
): Generator<ShownPayment[]> {
  let toSkip = offset;
  let left = limit ?? Number.POSITIVE_INFINITY;
  for (let after = 0; after < last && left > 0; ) {
    const isClosed = after < closedTo;
    const list = isClosed ? closed : open;
    const upTo = Math.min(last, after + list.most, isClosed ? closedTo : last);
    const range = { ...wanted, after, upTo };
    const found = toSkip === 0 ? 0 : list.count(range);
    if (toSkip > 0 && found <= toSkip) {
      toSkip -= found;
      after = upTo;
      yield [];
      continue;
    }
    const most = Math.min(left, ROWS_AT_ONCE);
    const rows = list.rows({ ...range, limit: most, offset: toSkip });
    toSkip = 0;
    left -= rows.length;
    after = rows.length < most ? upTo : (rows.at(-1)?.seq ?? upTo);
    yield rows;
  }
}

function* rowsOf(slices: Iterable<ShownPayment[]>): Generator<PaymentRow[]> {
  for (const rows of slices) yield rows.map(entryOf);
}
