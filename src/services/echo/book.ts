/**
 * What an echo node owes, out of nothing but its payment history: whoever reads the same history finds the
 * same debts. So nothing has to be stored, and a crash neither forgets an echo nor doubles one.
 */
import type { PaymentRecord } from '../../node/runtime/records.ts';
import type { Address } from '../../protocol/hex.ts';
import {
  answer,
  type Draw,
  type Echo,
  echoName,
  isRepeated,
  type Lottery,
  type Received,
} from './rules.ts';

export type Book = {
  /** The next entry of the history: each once, oldest first. */
  note(record: PaymentRecord): void;
  /** What is not answered yet, in the order of the payments. */
  owed(): Echo[];
};

export function createBook(draw: Draw): Book {
  const lotteries = new Map<Address, Lottery>();
  const last = new Map<string, Pick<Received, 'amount' | 'paymentId'>>();
  /** In the order in which they became due. Two may look alike: each wants a payment of its own. */
  const open = new Set<Echo>();
  const alike = new Map<string, Echo[]>();

  function noteReceived(payment: Received): void {
    const { token, initiator, amount, paymentId } = payment;
    const payer = `${token}:${initiator}`;
    const before = last.get(payer);
    last.set(payer, { amount, paymentId });
    if (isRepeated(payment, before)) return;
    const lottery = lotteries.get(token) ?? { token, round: 0, entries: [] };
    const answered = answer(payment, lottery, draw);
    lotteries.set(token, answered.lottery);
    const { echo } = answered;
    if (echo === null) return;
    open.add(echo);
    alike.set(echoName(echo), [...(alike.get(echoName(echo)) ?? []), echo]);
  }

  /** The proof that an echo was paid; what was sent before it was due proves nothing. */
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
