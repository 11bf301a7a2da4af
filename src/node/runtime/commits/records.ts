/** The shapes of stored records, by which rows read from disk are checked before they are shown. */
import * as v from 'valibot';
import type { Address } from '../../../basics/hex.ts';
import { isHexOf } from '../../../basics/hex.ts';
import type { NotificationId } from '../../../protocol/notification-ids.ts';
import { NOTIFICATION_IDS } from '../../../protocol/notification-ids.ts';

const address = v.custom<Address>((value) => isHexOf(value, 20));
const uint = v.pipe(v.bigint(), v.minValue(0n));

export const pair = v.object({ token: address, partner: address });

export const paymentFacts = v.variant('event', [
  v.object({
    event: v.literal('EventPaymentSentSuccess'),
    token: address,
    amount: uint,
    target: address,
    paymentId: uint,
  }),
  v.object({
    event: v.literal('EventPaymentSentFailed'),
    token: address,
    target: address,
    reason: v.string(),
    paymentId: uint,
  }),
  v.object({
    event: v.literal('EventPaymentReceivedSuccess'),
    token: address,
    amount: uint,
    initiator: address,
    paymentId: uint,
  }),
]);

export const notification: v.GenericSchema<unknown, Notification> = v.object({
  id: v.picklist(NOTIFICATION_IDS),
  summary: v.string(),
  body: v.string(),
  urgency: v.picklist(['normal', 'high']),
});

/** One row of the payment history. `time` is milliseconds since 1970. An event of the feed has no amount of what failed. */
export type PaymentRecord = { time: number; token: Address } & (
  | { event: 'EventPaymentSentSuccess'; amount: bigint; target: Address; paymentId: bigint }
  | {
      event: 'EventPaymentSentFailed';
      amount?: bigint;
      target: Address;
      reason: string;
      paymentId: bigint;
    }
  | { event: 'EventPaymentReceivedSuccess'; amount: bigint; initiator: Address; paymentId: bigint }
);

export type Notification = {
  id: NotificationId;
  summary: string;
  body: string;
  urgency: 'normal' | 'high';
};
