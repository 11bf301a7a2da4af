/**
 * A fee schedule as the graph keeps it: small, quick to ask in doubles while searching, and exact for the
 * check of a path that was found. A curve as nodes make it (evenly spaced, penalties out of doubles) is
 * kept without its points: with one for each side of 50,000 channels they would be most of the memory.
 */
import { evenStep, isPenaltyCurve, type PenaltyCurve } from '../protocol/fee-curve.ts';
import type { FeeSchedule } from '../protocol/fees.ts';

/** More points than this are refused: whoever can announce fees could fill the memory. */
export const MOST_POINTS = 64;

type Curve = {
  /** The exact points; null where `last` and `penalties` say them exactly. */
  points: PenaltyCurve | null;
  /** The own balance at the last point. */
  last: bigint;
  /** Own balances in doubles; null: evenly spaced from 0 to `last`. */
  balances: number[] | null;
  penalties: number[];
};
export type Tariff = {
  flat: bigint;
  proportional: bigint;
  capFees: boolean;
  curve: Curve | null;
};

/** Null: nobody can be charged by such a schedule. */
export function tariffOf(schedule: FeeSchedule): Tariff | null {
  const { flat, proportional, imbalancePenalty, capFees } = schedule;
  if (flat < 0n || proportional < 0n) return null;
  if (imbalancePenalty === null) return { flat, proportional, capFees, curve: null };
  if (imbalancePenalty.length > MOST_POINTS || !isPenaltyCurve(imbalancePenalty)) return null;
  return { flat, proportional, capFees, curve: curveOf(imbalancePenalty) };
}

function curveOf(points: PenaltyCurve): Curve {
  const last = points.at(-1)?.[0] ?? 0n;
  const penalties = points.map(([, penalty]) => Number(penalty));
  const steps = BigInt(points.length - 1);
  const isSmall = points.every(
    ([balance, penalty], at) =>
      balance === evenStep(last, BigInt(at), steps) && penalty === BigInt(Number(penalty)),
  );
  if (isSmall) return { points: null, last, balances: null, penalties };
  return { points, last, balances: points.map(([balance]) => Number(balance)), penalties };
}

/** The schedule that the tariff was made of. */
export function scheduleOf({ curve, ...rest }: Tariff): FeeSchedule {
  if (curve === null) return { ...rest, imbalancePenalty: null };
  const { points, last, penalties } = curve;
  if (points !== null) return { ...rest, imbalancePenalty: points };
  const steps = BigInt(penalties.length - 1);
  return {
    ...rest,
    imbalancePenalty: penalties.map(
      (penalty, at) => [evenStep(last, BigInt(at), steps), BigInt(penalty)] as const,
    ),
  };
}

/**
 * About what one channel costs for `amount` when the own balance in it goes from `before` to `after`;
 * NaN where the curve clearly says nothing. A borderline is left to the exact check.
 */
export function roughFee(
  tariff: Tariff,
  amount: number,
  { before, after }: { before: number; after: number },
): number {
  const base = Number(tariff.flat) + (Number(tariff.proportional) * amount) / 1e6;
  if (tariff.curve === null) return base;
  return base + roughPenalty(tariff.curve, after) - roughPenalty(tariff.curve, before);
}

function roughPenalty({ balances, last, penalties }: Curve, balance: number): number {
  const steps = penalties.length - 1;
  const end = Number(last);
  const start = balances?.[0] ?? 0;
  const slack = 1e-9 * end;
  if (balance > end + slack || balance < start - slack) return Number.NaN;
  const inside = Math.min(Math.max(balance, start), end);
  let left = balances === null ? Math.floor((inside / end) * steps) : 0;
  if (left >= steps) left = steps - 1;
  if (balances !== null) while (left < steps - 1 && (balances[left + 1] ?? 0) < inside) left += 1;
  const from = balances?.[left] ?? (end * left) / steps;
  const to = balances?.[left + 1] ?? (end * (left + 1)) / steps;
  const low = penalties[left] ?? 0;
  const high = penalties[left + 1] ?? 0;
  return to > from ? low + ((high - low) * (inside - from)) / (to - from) : low;
}
