/** Counts the messages of all nodes for each payment that succeeded. */

import type { Hash } from '../../../basics/hex.ts';
import { secrethashOf } from '../../../protocol/hash.ts';
import { secrethashIn } from '../../../protocol/messages/changes.ts';
import type { Message } from '../../../protocol/messages/table.ts';
import type { Update } from '../../../protocol/messages/update.ts';
import { createRecent } from '../../invariants/recent.ts';
import type { Histogram } from '../../report/results/result.ts';
import { histogramOf } from './tally.ts';

type Effort = { messages: number; isPaid: boolean };

/** Payments whose messages are counted at a time: more than are ever under way. */
const COUNTED = 5_000;
/** Messages whose payment is remembered, so that their acknowledgements count for it. */
const KEPT = 40_000;

export function createEfforts(counted = COUNTED) {
  const efforts = new Map<Hash, Effort>();
  const payments = createRecent<readonly Hash[]>(KEPT);
  const histogram = new Map<number, number>();

  /** An Update is a message of each payment that it is about. */
  function paymentsOf(message: Message): readonly Hash[] {
    switch (message.type) {
      case 'Update':
        return message.changes.map(secrethashIn);
      case 'SecretRequest':
        return [message.secrethash];
      case 'RevealSecret':
        return [secrethashOf(message.secret)];
      case 'Processed':
        return payments.get(String(message.messageId)) ?? [];
      case 'Delivered':
        return payments.get(String(message.deliveredMessageId)) ?? [];
      default:
        return [];
    }
  }

  function add(into: Map<number, number>, { messages, isPaid }: Effort) {
    if (isPaid) into.set(messages, (into.get(messages) ?? 0) + 1);
  }

  function notePaid({ changes }: Update) {
    for (const change of changes) {
      const effort = change.type === 'unlock' ? efforts.get(secrethashIn(change)) : undefined;
      if (effort !== undefined) effort.isPaid = true;
    }
  }

  return {
    /** Some node sends this message. */
    said(message: Message): void {
      const about = paymentsOf(message);
      if (about.length === 0) return;
      if ('messageId' in message && message.type !== 'Processed')
        payments.set(String(message.messageId), about);
      for (const payment of about) {
        const effort = efforts.get(payment) ?? { messages: 0, isPaid: false };
        effort.messages += 1;
        efforts.set(payment, effort);
      }
      if (message.type === 'Update') notePaid(message);
      const [oldest] = efforts.size > counted ? efforts : [];
      if (oldest === undefined) return;
      add(histogram, oldest[1]);
      efforts.delete(oldest[0]);
    },
    /** How many payments took how many messages. */
    histogram(): Histogram {
      const all = new Map(histogram);
      for (const effort of efforts.values()) add(all, effort);
      return histogramOf(all);
    },
  };
}
