/**
 * What an echo node owes, computed from its payment history alone: the same history always gives the same debts. So
 * nothing has to be stored, and a crash neither forgets an echo nor pays one twice.
 */

import type { Address } from '../../basics/hex.ts';
import type { PaymentRecord } from '../../node/runtime/commits/records.ts';
import {
  type Echo,
  echoAfter,
  echoName,
  isRepeated,
  type Lottery,
  type LotteryDraw,
  type Received,
} from './rules.ts';

export type EchoBook = {
  /** Notes the next record of the history; each must be noted once, oldest first. */
  note(record: PaymentRecord): void;
  /** The echoes that are not paid yet, in the order of the payments. */
  owed(): Echo[];
};

export function createEchoBook(draw: LotteryDraw): EchoBook {
  const lotteries = new Map<Address, Lottery>();
  const last = new Map<string, Pick<Received, 'amount' | 'paymentId'>>();
  /** The unpaid echoes, in the order in which they became due. Two may look alike: each needs a payment of its own. */
  const open = new Set<Echo>();
  const alike = new Map<string, Echo[]>();

  function noteReceived(payment: Received): void {
    const { token, initiator, amount, paymentId } = payment;
    const payer = `${token}:${initiator}`;
    const before = last.get(payer);
    last.set(payer, { amount, paymentId });
    if (isRepeated(payment, before)) return;
    const lottery = lotteries.get(token) ?? { token, round: 0, entries: [] };
    const answered = echoAfter(payment, lottery, draw);
    lotteries.set(token, answered.lottery);
    const { echo } = answered;
    if (echo === null) return;
    open.add(echo);
    alike.set(echoName(echo), [...(alike.get(echoName(echo)) ?? []), echo]);
  }

  /** A sent payment proves that an echo was paid, unless it was sent before the echo was due. */
  function noteSent(payment: Omit<Echo, 'time'>): void {
    const [first, ...rest] = alike.get(echoName(payment)) ?? [];
    if (first === undefined) return;
    open.delete(first);
    if (rest.length > 0) alike.set(echoName(payment), rest);
    else alike.delete(echoName(payment));
  }

  return {
    note(record) {
      if (record.event === 'EventPaymentReceivedSuccess') noteReceived(record);
      if (record.event === 'EventPaymentSentSuccess') noteSent(record);
    },
    owed: () => [...open],
  };
}
