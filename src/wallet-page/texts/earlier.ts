/** Payments that were made with an identifier before: the same link opened twice is to be paid once. */
import type { HistoryRecord } from '../../client/history.ts';
import { wholeAmountText } from '../../page-parts/labels.ts';

export type Earlier = HistoryRecord;
type Asked = { token: string; target: string; amount: string; identifier: string };

const isPaid = ({ event }: Earlier): boolean => event === 'EventPaymentSentSuccess';

/**
 * The key of a payment with an identifier: the same in every tab until one of them has paid, or has failed, so that all of
 * them together pay once.
 */
export function keyOf(asked: Asked, earlier: readonly Earlier[]): string {
  const { token, target, amount, identifier } = asked;
  const own = earlier.filter(({ event }) => event !== 'EventPaymentReceivedSuccess');
  return `wallet-${identifier}-${amount}-${token}-${target}-${own.length}`;
}

/** What a person should know before paying; null: nothing was paid with the identifier. */
export function earlierText(earlier: readonly Earlier[], token: string): string | null {
  const paid = earlier.filter(isPaid).at(-1);
  if (paid?.event !== 'EventPaymentSentSuccess') return null;
  const when = paid.log_time.replace('T', ' ').slice(0, 16);
  return `You have paid ${wholeAmountText(BigInt(paid.amount), token)} to this address with this identifier already, on ${when} UTC. Pay once more?`;
}
