/** What the history keeps of a payment, and what it says of it. */
import type { RecordPayment } from '../../../machines/effects.ts';
import type { Address } from '../../basics/hex.ts';
import type { Batch } from '../base/batch.ts';
import { addressIn, uintIn } from '../base/columns.ts';
import { PAYMENT_EVENTS, payments } from '../base/history-schema.ts';

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

/** How the column `event` calls a payment that this node got. */
export const RECEIVED = PAYMENT_EVENTS.indexOf('received');

const ENDS = {
  'record.paymentSent': 'sent',
  'record.paymentFailed': 'failed',
  'record.paymentReceived': 'received',
} as const satisfies Record<RecordPayment['type'], (typeof PAYMENT_EVENTS)[number]>;

const { seq, event, token, partner, paymentId, amount, reason, time, block } = payments;
/** The columns of a row that are shown, which are not all that it has. */
export const SHOWN = {
  ...{ seq, event, reason, time, block },
  token: addressIn(token),
  partner: addressIn(partner),
  paymentId: uintIn(paymentId),
  amount: uintIn(amount),
};
export type ShownPayment = Pick<typeof payments.$inferSelect, keyof typeof SHOWN>;

/** What is shown of a payment that ends in this batch, under this number. */
export function shownOf(
  payment: RecordPayment,
  { time, block }: Pick<Batch, 'time' | 'block'>,
  seq: number,
): ShownPayment {
  const { type, token, paymentId, amount } = payment;
  return {
    seq,
    event: PAYMENT_EVENTS.indexOf(ENDS[type]),
    token,
    partner: type === 'record.paymentReceived' ? payment.initiator : payment.target,
    paymentId,
    amount,
    reason: type === 'record.paymentFailed' ? payment.reason : null,
    time,
    block,
  };
}

/** The entry of a row. Throws when its payment has ended in no way that is known. */
export function entryOf(row: ShownPayment): PaymentRow {
  const { time, token, partner, amount, paymentId } = row;
  const event = PAYMENT_EVENTS[row.event];
  if (event === undefined) throw new Error(`store: the payment ${row.seq} has no known end`);
  switch (event) {
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
