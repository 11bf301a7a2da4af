/**
 * What callers may pay in any 24 hours, separately for each token. A payment is charged before it begins, in the same
 * commit or an earlier one, and a failed payment is given back: if the process dies in between, too much was counted,
 * never too little.
 */
import type { Address } from '../../../basics/hex.ts';
import type { BudgetRow } from '../../../store/base/batch.ts';
import { BUDGET_HOURS } from '../../../store/tables/budgets.ts';

/** `caller`: an opaque name of who pays; `perDay`: in the token's smallest unit. */
export type Budget = { caller: string; perDay: bigint };

type Options = {
  /** What was paid before this process started. */
  rows: readonly BudgetRow[];
  /** Adds the row to the open batch. */
  write(row: BudgetRow): void;
  /** Milliseconds since 1970. */
  now(): number;
};

const HOUR_MS = 3_600_000;

export function createBudgets({ rows, write, now }: Options) {
  /** By caller and token, then by hour. */
  const spent = new Map<string, Map<number, bigint>>();
  const hoursOf = (caller: string, token: Address) => {
    const key = `${caller} ${token}`;
    const hours = spent.get(key) ?? new Map<number, bigint>();
    spent.set(key, hours);
    return hours;
  };
  for (const { caller, token, hour, spent: sum } of rows) hoursOf(caller, token).set(hour, sum);

  function add(caller: string, token: Address, hour: number, amount: bigint): void {
    const hours = hoursOf(caller, token);
    const sum = (hours.get(hour) ?? 0n) + amount;
    hours.set(hour, sum);
    write({ caller, token, hour, spent: sum });
  }

  return {
    /** What the caller may still pay now. */
    left({ caller, perDay }: Budget, token: Address): bigint {
      const first = Math.floor(now() / HOUR_MS) - BUDGET_HOURS;
      const hours = hoursOf(caller, token);
      let sum = 0n;
      for (const [hour, paid] of hours)
        if (hour < first) hours.delete(hour);
        else sum += paid;
      return sum < perDay ? perDay - sum : 0n;
    },
    /** Counts a payment. The returned function is called when the payment failed, and gives its amount back. */
    charge({ caller }: Budget, token: Address, amount: bigint): () => void {
      const hour = Math.floor(now() / HOUR_MS);
      add(caller, token, hour, amount);
      return () => {
        // `left` may have forgotten the hour: what was paid in it would be less than nothing.
        if (hoursOf(caller, token).has(hour)) add(caller, token, hour, -amount);
      };
    },
  };
}
