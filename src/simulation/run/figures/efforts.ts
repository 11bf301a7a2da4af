/** Counts the messages of all nodes for each payment that succeeded. */

import type { Hash } from '../../../basics/hex.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import { createRecent } from '../../invariants/recent.ts';

type Effort = { messages: number; isPaid: boolean };

/** Payments whose messages are counted at a time: more than are ever under way. */
const COUNTED = 5_000;
/** Messages whose payment is remembered, so that their acknowledgements count for it. */
const KEPT = 40_000;

export function createEfforts(counted = COUNTED) {
  const efforts = new Map<Hash, Effort>();
  const payments = createRecent<Hash>(KEPT);
  const histogram = new Map<number, number>();

  function paymentOf(message: Message): Hash | null {
    switch (message.type) {
      case 'LockedTransfer':
      case 'RefundTransfer':
        return message.lock.secrethash;
      case 'SecretRequest':
      case 'LockExpired':
        return message.secrethash;
      case 'RevealSecret':
      case 'Unlock':
        return secrethashOf(message.secret);
      case 'Processed':
        return payments.get(String(message.messageId)) ?? null;
      case 'Delivered':
        return payments.get(String(message.deliveredMessageId)) ?? null;
      default:
        return null;
    }
  }

  function add(into: Map<number, number>, { messages, isPaid }: Effort) {
    if (isPaid) into.set(messages, (into.get(messages) ?? 0) + 1);
  }

  return {
    /** Some node sends this message. */
    said(message: Message): void {
      const payment = paymentOf(message);
      if (payment === null) return;
      if ('messageId' in message && message.type !== 'Processed')
        payments.set(String(message.messageId), payment);
      const effort = efforts.get(payment) ?? { messages: 0, isPaid: false };
      effort.messages += 1;
      effort.isPaid ||= message.type === 'Unlock';
      efforts.set(payment, effort);
      const [oldest] = efforts.size > counted ? efforts : [];
      if (oldest === undefined) return;
      add(histogram, oldest[1]);
      efforts.delete(oldest[0]);
    },
    /** How many payments took how many messages: each number of messages with its count, ascending. */
    histogram(): [number, number][] {
      const all = new Map(histogram);
      for (const effort of efforts.values()) add(all, effort);
      return [...all].sort(([a], [b]) => a - b);
    },
  };
}
