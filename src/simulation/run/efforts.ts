/** How many messages each payment took that was paid, whoever sent them. */
import { secrethashOf } from '../../protocol/hash.ts';
import type { Hash } from '../../protocol/hex.ts';
import type { Message } from '../../protocol/messages/table.ts';
import { createRecent } from '../invariants/recent.ts';

type Effort = { messages: number; isPaid: boolean };

/** Payments whose messages are still counted: all that are under way, and many that are not. */
const COUNTED = 5_000;
/** Messages of which it is known to which payment they belong, should they be acknowledged. */
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
    /** Somebody says this. */
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
    /** How many payments took so many messages: each number with its count, ascending. */
    histogram(): [number, number][] {
      const all = new Map(histogram);
      for (const effort of efforts.values()) add(all, effort);
      return [...all].sort(([a], [b]) => a - b);
    },
  };
}
