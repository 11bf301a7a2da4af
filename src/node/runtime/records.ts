/** The shapes of stored records: what was read from disk is checked before it is shown. */
import * as v from 'valibot';
import type { ChannelLog } from '../../../machines/events/chain.ts';
import type { Address, Hash } from '../../protocol/hex.ts';
import { isHexOf } from '../../protocol/hex.ts';
import type { NotificationId } from '../../protocol/notification-ids.ts';
import { NOTIFICATION_IDS } from '../../protocol/notification-ids.ts';

const address = v.custom<Address>((value) => isHexOf(value, 20));
const hash = v.custom<Hash>((value) => isHexOf(value, 32));
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

const ofChannel = {
  tokenNetwork: address,
  channelId: uint,
  at: v.object({ block: uint, logIndex: v.number(), transactionHash: hash }),
};
const proof = { closer: address, nonce: uint, balanceHash: hash };

export const channelLog: v.GenericSchema<unknown, ChannelLog> = v.variant('type', [
  v.object({
    type: v.literal('chain.channelOpened'),
    ...ofChannel,
    participant1: address,
    participant2: address,
    settleTimeout: uint,
  }),
  v.object({
    type: v.literal('chain.channelDeposit'),
    ...ofChannel,
    participant: address,
    totalDeposit: uint,
  }),
  v.object({
    type: v.literal('chain.channelWithdraw'),
    ...ofChannel,
    participant: address,
    totalWithdraw: uint,
  }),
  v.object({ type: v.literal('chain.channelClosed'), ...ofChannel, ...proof }),
  v.object({ type: v.literal('chain.proofUpdated'), ...ofChannel, ...proof }),
  v.object({
    type: v.literal('chain.channelSettled'),
    ...ofChannel,
    participant1: address,
    amount1: uint,
    locksroot1: hash,
    participant2: address,
    amount2: uint,
    locksroot2: hash,
  }),
  v.object({
    type: v.literal('chain.channelUnlocked'),
    ...ofChannel,
    receiver: address,
    sender: address,
    locksroot: hash,
    unlockedAmount: uint,
    returnedTokens: uint,
  }),
]);

/** One row of the payment history. `time` is milliseconds since 1970. */
export type PaymentRecord = { time: number; token: Address } & (
  | { event: 'EventPaymentSentSuccess'; amount: bigint; target: Address; paymentId: bigint }
  | { event: 'EventPaymentSentFailed'; target: Address; reason: string }
  | { event: 'EventPaymentReceivedSuccess'; amount: bigint; initiator: Address; paymentId: bigint }
);

export type Notification = {
  id: NotificationId;
  summary: string;
  body: string;
  urgency: 'normal' | 'high';
};
