/** A caller pays no more in 24 hours than it may. */
import { Violation } from '../violation.ts';

const DAY_MS = 86_400_000;

/** `startMs`: when it was asked for. Amounts in the token's smallest unit. */
type Paid = { who: string; caller: string; amount: bigint; startMs: number; perDay: bigint };

export function createCallers() {
  const paid: Paid[] = [];

  /** What the caller paid in the 24 hours before this moment. */
  const within = (all: readonly Paid[], endMs: number) =>
    all
      .filter(({ startMs }) => startMs > endMs - DAY_MS && startMs <= endMs)
      .reduce((sum, { amount }) => sum + amount, 0n);

  return {
    /** A payment that a caller asked for has arrived. Throws when that is more than it may pay. */
    arrived(payment: Paid): void {
      const { who, caller, startMs, perDay } = payment;
      paid.push(payment);
      const all = paid.filter((one) => one.who === who && one.caller === caller);
      const ends = all.map((one) => one.startMs).filter((end) => end >= startMs);
      const most = ends.map((end) => within(all, end)).find((sum) => sum > perDay);
      if (most === undefined) return;
      throw new Violation(27, who, `${who} pays ${most} for ${caller}, which may pay ${perDay}`);
    },
  };
}
