/** A caller pays no more in 24 hours than it may. */
import { Violation } from '../violation.ts';

const DAY_MS = 86_400_000;

/** `startMs`: when it was asked for. Amounts in the token's smallest unit. */
type Paid = { who: string; caller: string; amount: bigint; startMs: number; perDay: bigint };
type Part = Pick<Paid, 'startMs' | 'amount'>;

export function createCallers() {
  /** By node and caller; what is two days old concerns no day of a payment that still arrives. */
  const paid = new Map<string, Part[]>();

  /** What was paid in the 24 hours before this moment. */
  const within = (all: readonly Part[], endMs: number) =>
    all
      .filter(({ startMs }) => startMs > endMs - DAY_MS && startMs <= endMs)
      .reduce((sum, { amount }) => sum + amount, 0n);

  return {
    /** A payment that a caller asked for has arrived. Throws when that is more than it may pay. */
    arrived({ who, caller, amount, startMs, perDay }: Paid): void {
      const key = `${who} ${caller}`;
      const before = paid.get(key) ?? [];
      const all = [
        ...before.filter((one) => one.startMs > startMs - 2 * DAY_MS),
        { startMs, amount },
      ];
      paid.set(key, all);
      const ends = all.map((one) => one.startMs).filter((end) => end >= startMs);
      const most = ends.map((end) => within(all, end)).find((sum) => sum > perDay);
      if (most === undefined) return;
      throw new Violation(27, who, `${who} pays ${most} for ${caller}, which may pay ${perDay}`);
    },
  };
}
