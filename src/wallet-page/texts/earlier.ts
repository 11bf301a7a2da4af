/** Payments that were made with an identifier before: the same link opened twice is to be paid once. */
import type { HistoryRecord } from '../../client/history.ts';

export type Earlier = HistoryRecord;
type Asked = { token: string; target: string; amount: string; identifier: string };

/**
 * The key of a payment with an identifier: the same in every tab until one of them has paid, or has failed, so that all of
 * them together pay once.
 */
export function keyOf(asked: Asked, earlier: readonly Earlier[]): string {
  const { token, target, amount, identifier } = asked;
  const own = earlier.filter(({ event }) => event !== 'EventPaymentReceivedSuccess');
  return `wallet-${identifier}-${amount}-${token}-${target}-${own.length}`;
}

/** The newest payment that was made with the identifier, in the smallest unit, and when; null: there is none. */
export function paidBefore(earlier: readonly Earlier[]): { units: bigint; time: number } | null {
  const paid = earlier.findLast((one) => one.event === 'EventPaymentSentSuccess');
  return paid?.event === 'EventPaymentSentSuccess'
    ? { units: BigInt(paid.amount), time: Date.parse(`${paid.log_time}Z`) }
    : null;
}
