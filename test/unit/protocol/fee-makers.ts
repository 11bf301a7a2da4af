/** Fee schedules and mediators out of the rows of the vectors. */
import type { PenaltyCurve } from '../../../src/protocol/fees/fee-curve.ts';
import type { FeeSchedule, Mediation } from '../../../src/protocol/fees/fees.ts';

export type Numeric = string | number;

export function curveOf(points: Numeric[][] | null | undefined): PenaltyCurve | null {
  return points?.map(([x = 0, y = 0]) => [BigInt(x), BigInt(y)] as const) ?? null;
}

export function scheduleOf(given: Partial<FeeSchedule>): FeeSchedule {
  return { flat: 0n, proportional: 0n, imbalancePenalty: null, capFees: true, ...given };
}

type Balances = { balance_in: Numeric; receivable: Numeric; balance_out: Numeric };

export function mediationOf(
  scheduleIn: FeeSchedule,
  balances: Balances,
  scheduleOut: FeeSchedule = scheduleIn,
): Mediation {
  return {
    scheduleIn,
    scheduleOut,
    balanceIn: BigInt(balances.balance_in),
    receivable: BigInt(balances.receivable),
    balanceOut: BigInt(balances.balance_out),
  };
}
