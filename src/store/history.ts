/** The payment history, as the API shows it, and which secrethashes it knows. */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Address, Hash } from '../protocol/hex.ts';
import type { Connection } from './connection.ts';
import { ended, payments } from './schema.ts';

/** One entry of the history. `time` is milliseconds since 1970. */
export type PaymentRow = { time: number; token: Address } & (
  | { event: 'EventPaymentSentSuccess'; amount: bigint; target: Address; paymentId: bigint }
  | { event: 'EventPaymentSentFailed'; target: Address; reason: string }
  | { event: 'EventPaymentReceivedSuccess'; amount: bigint; initiator: Address; paymentId: bigint }
);

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
