/**
 * A fee schedule as the graph keeps it: small, quick to ask in doubles while searching, and exact for the
 * check of a path that was found. A curve as nodes make it (evenly spaced, penalties out of doubles) is
 * kept without its points: with one for each side of 50,000 channels they would be most of the memory.
 */
import { evenStep, isPenaltyCurve, type PenaltyCurve } from '../protocol/fee-curve.ts';
import type { FeeSchedule } from '../protocol/fees.ts';

export type Curve = {
  /** The exact points; null where `last` and `penalties` say them exactly. */
  points: PenaltyCurve | null;
  /** The own balance at the last point. */
  last: bigint;
  /** The same in doubles. */
  end: number;
  /** Own balances in doubles; null: evenly spaced from 0 to `last`. */
  balances: number[] | null;
  penalties: number[];
};
export type Tariff = {
  flat: bigint;
  proportional: bigint;
  capFees: boolean;
  curve: Curve | null;
  /** For searching: `flat` in doubles, and the share of the amount that `proportional` is. */
  base: number;
  rate: number;
};

/** Null: nobody can be charged by such a schedule. */
export function tariffOf(schedule: FeeSchedule): Tariff | null {
  const { flat, proportional, imbalancePenalty, capFees } = schedule;
  if (flat < 0n || proportional < 0n) return null;
  if (imbalancePenalty !== null && !isPenaltyCurve(imbalancePenalty)) return null;
  const curve = imbalancePenalty === null ? null : curveOf(imbalancePenalty);
  const rough = { base: Number(flat), rate: Number(proportional) / 1e6 };
  return { flat, proportional, capFees, curve, ...rough };
}

function curveOf(points: PenaltyCurve): Curve {
  const last = points.at(-1)?.[0] ?? 0n;
  const end = Number(last);
  const penalties = points.map(([, penalty]) => Number(penalty));
  const steps = BigInt(points.length - 1);
  const isSmall = points.every(
    ([balance, penalty], at) =>
      balance === evenStep(last, BigInt(at), steps) && penalty === BigInt(Number(penalty)),
  );
  if (isSmall) return { points: null, last, end, balances: null, penalties };
  return { points, last, end, balances: points.map(([balance]) => Number(balance)), penalties };
}

/** The schedule that the tariff was made of. */
export function scheduleOf({ flat, proportional, capFees, curve }: Tariff): FeeSchedule {
  const rest = { flat, proportional, capFees };
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
 * About the penalty at an own balance; NaN where the curve clearly says nothing. A borderline is left to
 * the exact check.
 */
export function roughPenalty({ balances, end, penalties }: Curve, balance: number): number {
  const steps = penalties.length - 1;
  const start = balances?.[0] ?? 0;
  const slack = 1e-9 * end;
  if (balance > end + slack || balance < start - slack) return Number.NaN;
  const inside = Math.min(Math.max(balance, start), end);
  if (balances === null) {
    const place = (inside / end) * steps;
    const at = Math.min(Math.floor(place), steps - 1);
    return between(penalties[at], penalties[at + 1], place - at);
  }
  let at = 0;
  while (at < steps - 1 && (balances[at + 1] ?? 0) < inside) at += 1;
  const [from, to] = [balances[at] ?? 0, balances[at + 1] ?? 0];
  return between(penalties[at], penalties[at + 1], to > from ? (inside - from) / (to - from) : 0);
}

function between(low = 0, high = 0, share: number): number {
  return low + (high - low) * share;
}
