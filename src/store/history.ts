/** The payment history, as the API shows it, and which secrethashes it knows. */
import { and, asc, eq, gte, inArray, type SQL, sql } from 'drizzle-orm';
import type { RecordPayment } from '../../machines/effects.ts';
import type { Address, Hash } from '../protocol/hex.ts';
import type { Connection } from './connection.ts';
import { ended, payments } from './schema.ts';

/** What an entry of the history says of its payment. */
type PaymentFacts = { token: Address } & (
  | { event: 'EventPaymentSentSuccess'; amount: bigint; target: Address; paymentId: bigint }
  | { event: 'EventPaymentSentFailed'; target: Address; reason: string }
  | { event: 'EventPaymentReceivedSuccess'; amount: bigint; initiator: Address; paymentId: bigint }
);
/** One entry of the history. `time` is milliseconds since 1970. */
export type PaymentRow = { time: number } & PaymentFacts;
/** A payment of one channel. `seq` is its place in the history, `block` the newest one at its end. */
export type ChannelPayment = { seq: number; block: bigint; record: PaymentRow };

/** Null takes all. `partner` is the other end of the payment, `offset` counts within what is left. */
export type PaymentQuery = {
  token: Address | null;
  partner: Address | null;
  offset: number;
  limit: number | null;
};

/** How SQLite says "without limit". */
const ALL = -1;

export function prepareHistory({ db }: Connection) {
  const token = eq(payments.token, sql.placeholder('token'));
  const partner = eq(payments.partner, sql.placeholder('partner'));
  const prepareList = (filter?: SQL) =>
    db
      .select()
      .from(payments)
      .where(filter)
      .orderBy(asc(payments.seq))
      .limit(sql.placeholder('limit'))
      .offset(sql.placeholder('offset'))
      .prepare();
  // One statement per set of filters: a condition that may be absent would keep SQLite from its index.
  const lists = {
    all: prepareList(),
    token: prepareList(token),
    partner: prepareList(partner),
    both: prepareList(and(token, partner)),
  };
  const ofChannel = db
    .select()
    .from(payments)
    .where(
      and(
        eq(payments.channel, sql.placeholder('channel')),
        gte(payments.block, sql.param(sql.placeholder('fromBlock'), payments.block)),
      ),
    )
    .orderBy(asc(payments.seq))
    .prepare();
  const usedInPayment = db
    .select({ seq: payments.seq })
    .from(payments)
    .where(eq(payments.secrethash, sql.placeholder('secrethash')))
    .limit(1)
    .prepare();
  const usedByActor = db
    .select({ id: ended.id })
    .from(ended)
    .where(
      inArray(ended.id, [
        sql.placeholder('initiator'),
        sql.placeholder('mediator'),
        sql.placeholder('target'),
      ]),
    )
    .limit(1)
    .prepare();

  return {
    /** The payments that match, oldest first. */
    payments: ({ token, partner, offset, limit }: PaymentQuery): PaymentRow[] => {
      const one = partner === null ? lists.token : lists.partner;
      const none = token === null && partner === null;
      const list = none ? lists.all : token === null || partner === null ? one : lists.both;
      return list.all({ token, partner, offset, limit: limit ?? ALL }).map(toRow);
    },
    /** What a channel carried from a block on, oldest first. */
    paymentsOf: (channel: string, fromBlock: bigint): ChannelPayment[] =>
      ofChannel
        .all({ channel, fromBlock })
        .flatMap((row) =>
          row.block === null ? [] : [{ seq: row.seq, block: row.block, record: toRow(row) }],
        ),
    /** Whether a payment in the history, or the actor of an ended one, has this secrethash. */
    isSecrethashUsed: (secrethash: Hash): boolean =>
      usedInPayment.get({ secrethash }) !== undefined ||
      usedByActor.get({
        initiator: `initiator:${secrethash}`,
        mediator: `mediator:${secrethash}`,
        target: `target:${secrethash}`,
      }) !== undefined,
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
      return { event: 'EventPaymentSentFailed', token, target, reason };
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
        target: partner,
        reason: row.reason ?? '',
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
