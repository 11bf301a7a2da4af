/** The payment history, as the API shows it, and which secrethashes it knows. */
import { existsSync } from 'node:fs';
import { and, asc, count, eq, gt, gte, lte, max, type SQL, sql } from 'drizzle-orm';
import type { RecordPayment } from '../../../machines/effects.ts';
import type { Address, Hash } from '../../basics/hex.ts';
import { boundQuestion } from '../base/bound.ts';
import { unhex } from '../base/columns.ts';
import { type Connection, connect } from '../base/connection.ts';
import { payments, spent } from '../base/schema.ts';
import type { Slices } from '../base/slices.ts';
import { shortOf } from '../tables/spent.ts';

/** What an entry of the history says of its payment. */
type PaymentFacts = { token: Address } & (
  | { event: 'EventPaymentSentSuccess'; amount: bigint; target: Address; paymentId: bigint }
  | {
      event: 'EventPaymentSentFailed';
      amount: bigint;
      target: Address;
      reason: string;
      paymentId: bigint;
    }
  | { event: 'EventPaymentReceivedSuccess'; amount: bigint; initiator: Address; paymentId: bigint }
);
/** One entry of the history. `time` is milliseconds since 1970. */
export type PaymentRow = { time: number } & PaymentFacts;
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
/** Most rows that one read passes over in search of those that match. */
const MOST_PASSED = 2_000;

const at = sql.placeholder;

export function prepareHistory(connection: Connection) {
  const { db } = connection;
  const token = eq(payments.token, at('token'));
  const partner = eq(payments.partner, at('partner'));
  // One set of statements per set of filters: a condition that may be absent would keep SQLite from its index.
  const lists = {
    all: prepareList(db),
    token: prepareList(db, token),
    partner: prepareList(db, partner),
    both: prepareList(db, and(token, partner)),
  };
  // Few payments have one identifier: of those the others are left out, whatever SQLite thinks of its indexes.
  const paymentId = eq(payments.paymentId, sql.param(at('paymentId'), payments.paymentId));
  const found = prepareList(
    db,
    and(
      paymentId,
      sql`coalesce(${at('token')}, ${payments.token}) = ${payments.token}`,
      sql`coalesce(${at('partner')}, ${payments.partner}) = ${payments.partner}`,
    ),
  );
  const lastSeq = prepareLastSeq(db);
  const all = db.select({ rows: count() }).from(payments).prepare();
  const ofChannel = prepareOfChannel(db);
  const used = boundQuestion(
    connection,
    db
      .select({ found: sql`1` })
      .from(payments)
      .where(eq(payments.secrethash, at('secrethash')))
      .unionAll(
        db
          .select({ found: sql`1` })
          .from(spent)
          .where(eq(spent.secrethash, unhex('short', spent.secrethash))),
      )
      .limit(1),
  );

  return {
    /** The payments that match at the moment of the call, oldest first. */
    payments: (query: PaymentQuery): Slices<PaymentRow> => {
      const { token, partner } = query;
      if (query.paymentId != null) return slicesOf(found, query, lastSeq());
      const one = partner === null ? lists.token : lists.partner;
      const none = token === null && partner === null;
      const list = none ? lists.all : token === null || partner === null ? one : lists.both;
      return slicesOf(list, query, lastSeq());
    },
    /** How many payments there are at the moment of the call. */
    paymentCount: (): number => all.get()?.rows ?? 0,
    /**
     * The payments that a channel has carried from a block on, as of the moment of the call, by block, oldest first.
     */
    paymentsOf: (channel: string, fromBlock: bigint): Slices<ChannelPayment> =>
      ofChannel(channel, fromBlock, lastSeq()),
    /** Whether a payment in the history, or the actor of an ended one, has this secrethash. */
    isSecrethashUsed: (secrethash: Hash): boolean =>
      used({ secrethash, short: shortOf(secrethash) }),
  };
}

type Db = Connection['db'];

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
    const query = { token: null, partner: null, offset: 0, limit: null };
    const rows = slicesOf(prepareList(db), query, prepareLastSeq(db)());
    return { payments: rows, close: () => void client.close() };
  } catch (error) {
    client.close();
    throw error;
  }
}

/** Statements for the rows from `after`, exclusive, to `upTo`. */
function prepareList(db: Db, filter?: SQL) {
  const range = and(gt(payments.seq, at('after')), lte(payments.seq, at('upTo')), filter);
  return {
    count: db.select({ rows: count() }).from(payments).where(range).prepare(),
    rows: db
      .select()
      .from(payments)
      .where(range)
      .orderBy(asc(payments.seq))
      .limit(at('limit'))
      .offset(at('offset'))
      .prepare(),
  };
}

/** Reads by key, never by an offset that grows, so that the last slice costs no more than the first. */
function* slicesOf(
  list: ReturnType<typeof prepareList>,
  { token, partner, paymentId = null, offset, limit }: PaymentQuery,
  last: number,
): Generator<PaymentRow[]> {
  let toSkip = offset;
  let left = limit ?? Number.POSITIVE_INFINITY;
  for (let after = 0; after < last && left > 0; ) {
    const isSought = paymentId !== null;
    const upTo = isSought ? last : Math.min(last, after + MOST_PASSED);
    const range = { token, partner, paymentId, after, upTo };
    const found = toSkip === 0 ? 0 : (list.count.get(range)?.rows ?? 0);
    if (toSkip > 0 && found <= toSkip) {
      toSkip -= found;
      after = range.upTo;
      yield [];
      continue;
    }
    const most = Math.min(left, ROWS_AT_ONCE);
    const rows = list.rows.all({ ...range, limit: most, offset: toSkip });
    toSkip = 0;
    left -= rows.length;
    after = rows.length < most ? range.upTo : (rows.at(-1)?.seq ?? range.upTo);
    yield rows.map(toRow);
  }
}

/**
 * Reads along the index of channel and block, which has the rows of one block in the order of `seq`. SQLite does not
 * notice that for a comparison of both columns: it would read a block from its beginning for each slice.
 */
function prepareOfChannel(db: Db) {
  const block = sql.param(at('block'), payments.block);
  const select = (condition?: SQL) =>
    db
      .select()
      .from(payments)
      .where(and(eq(payments.channel, at('channel')), lte(payments.seq, at('last')), condition))
      .orderBy(asc(payments.block), asc(payments.seq))
      .limit(ROWS_AT_ONCE)
      .prepare();
  const fromBlockOn = select(gte(payments.block, block));
  const restOfBlock = select(and(eq(payments.block, block), gt(payments.seq, at('after'))));

  return function* slices(
    channel: string,
    fromBlock: bigint,
    last: number,
  ): Generator<ChannelPayment[]> {
    let cursor: { block: bigint; after: number | null } = { block: fromBlock, after: null };
    for (;;) {
      const { block, after } = cursor;
      const asked = { channel, last, block };
      const rows = after === null ? fromBlockOn.all(asked) : restOfBlock.all({ ...asked, after });
      yield rows.map((row) => ({ seq: row.seq, block: row.block, record: toRow(row) }));
      const end = rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1);
      if (end !== undefined) cursor = { block: end.block, after: end.seq };
      else if (after === null) return;
      else cursor = { block: block + 1n, after: null };
    }
  };
}

/** The entry that a record becomes. */
export function factsOf(payment: RecordPayment): PaymentFacts {
  const { token, amount, paymentId } = payment;
  switch (payment.type) {
    case 'record.paymentSent': {
      const { target } = payment;
      return { event: 'EventPaymentSentSuccess', token, amount, target, paymentId };
    }
    case 'record.paymentFailed': {
      const { target, reason } = payment;
      return { event: 'EventPaymentSentFailed', token, amount, target, reason, paymentId };
    }
    case 'record.paymentReceived': {
      const { initiator } = payment;
      return { event: 'EventPaymentReceivedSuccess', token, amount, initiator, paymentId };
    }
  }
}

function toRow(row: typeof payments.$inferSelect): PaymentRow {
  const { time, token, partner, amount, paymentId } = row;
  switch (row.event) {
    case 'sent':
      return { time, token, event: 'EventPaymentSentSuccess', amount, target: partner, paymentId };
    case 'failed':
      return {
        time,
        token,
        event: 'EventPaymentSentFailed',
        amount,
        target: partner,
        reason: row.reason ?? '',
        paymentId,
      };
    case 'received':
      return {
        time,
        token,
        event: 'EventPaymentReceivedSuccess',
        amount,
        initiator: partner,
        paymentId,
      };
  }
}
