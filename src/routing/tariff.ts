/**
 * A fee schedule as the graph keeps it: small, quick to evaluate in doubles during a search, and exact for the check
 * of a path that was found. A curve as nodes make it (evenly spaced, penalties computed in doubles) is kept without
 * its points: the points of one curve for each side of 50,000 channels would be most of the memory.
 */
import { evenStep, isPenaltyCurve, type PenaltyCurve } from '../protocol/fees/fee-curve.ts';
import type { FeeSchedule } from '../protocol/fees/fees.ts';

export type TariffCurve = {
  /** The exact points; null where `last` and `penalties` give them exactly. */
  points: PenaltyCurve | null;
  /** The own balance at the last point. */
  last: bigint;
  /** `last` as a double. */
  end: number;
  /** Own balances in doubles; null: evenly spaced from 0 to `last`. */
  balances: number[] | null;
  penalties: number[];
};
export type Tariff = {
  flat: bigint;
  proportional: bigint;
  capFees: boolean;
  curve: TariffCurve | null;
  /** For searches: `flat` as a double, and the share of the amount that `proportional` is. */
  base: number;
  rate: number;
};

/**
 * Tariffs of frozen schedules. Where many nodes share a process, all their networks are told the same ones, and a tariff
 * takes as long to make as the rest of what a network does with it. What is frozen with all in it never goes stale.
 */
const ofFrozen = new WeakMap<FeeSchedule, Tariff | null>();

/** The tariff of a schedule. Null: the schedule is invalid. A frozen schedule has to be frozen with its curve. */
export function tariffOf(schedule: FeeSchedule): Tariff | null {
  if (!Object.isFrozen(schedule)) return newTariff(schedule);
  const known = ofFrozen.get(schedule);
  if (known !== undefined) return known;
  const made = newTariff(schedule);
  ofFrozen.set(schedule, made);
  return made;
}

function newTariff(schedule: FeeSchedule): Tariff | null {
  const { flat, proportional, imbalancePenalty, capFees } = schedule;
  if (flat < 0n || proportional < 0n) return null;
  if (imbalancePenalty !== null && !isPenaltyCurve(imbalancePenalty)) return null;
  const curve = imbalancePenalty === null ? null : curveOf(imbalancePenalty);
  return tariffWith({ flat, proportional, capFees, curve });
}

/** A tariff with a curve that was made before. */
export function tariffWith(exact: Omit<Tariff, 'base' | 'rate'>): Tariff {
  const { flat, proportional, capFees, curve } = exact;
  return {
    flat,
    proportional,
    capFees,
    curve,
    base: Number(flat),
    rate: Number(proportional) / 1e6,
  };
}

/** The curve through points for which `isPenaltyCurve` is true. */
export function curveOf(points: PenaltyCurve): TariffCurve {
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

/** A range of own balances, the lowest first. */
export type Range = readonly [bigint, bigint];

/**
 * The schedule that the tariff was made from; with a range, only that part of its curve: to create and evaluate all
 * points as bigints takes longer than the search for a path.
 */
export function tariffSchedule(tariff: Tariff, range?: Range): FeeSchedule {
  const { flat, proportional, capFees, curve } = tariff;
  const imbalancePenalty = curve === null ? null : pointsOf(curve, range);
  return { flat, proportional, capFees, imbalancePenalty };
}

/** The points that the range needs, perhaps with a few more, and without a gap. */
function pointsOf(curve: TariffCurve, range?: Range): PenaltyCurve {
  const { points, last, penalties } = curve;
  const highest = penalties.length - 1;
  const [from, to] = range ? placesOf(curve, range) : [0, highest];
  if (points !== null) return points.slice(from, to + 1);
  const part: [bigint, bigint][] = [];
  for (let at = from; at <= to; at++) {
    part.push([evenStep(last, BigInt(at), BigInt(highest)), BigInt(penalties[at] ?? 0)]);
  }
  return part;
}

function placesOf(
  { points, end, penalties }: TariffCurve,
  [lowest, highest]: Range,
): [number, number] {
  const last = penalties.length - 1;
  if (points !== null) {
    const above = points.findIndex(([balance]) => balance > lowest);
    const beyond = points.findIndex(([balance]) => balance >= highest);
    return [above < 0 ? 0 : Math.max(above - 1, 0), beyond < 0 ? last : beyond];
  }
  // A point is rounded to a whole unit, and so never past a balance; the doubles may be.
  const slack = 1e-9 * last;
  const from = Math.floor((Number(lowest) / end) * last - slack);
  const to = Math.ceil((Number(highest) / end) * last + slack);
  return [Math.min(Math.max(from, 0), last), Math.min(Math.max(to, 0), last)];
}

/**
 * Roughly the penalty at an own balance; NaN where the balance is clearly outside the curve. A borderline case is
 * left to the exact check.
 */
export function roughPenalty({ balances, end, penalties }: TariffCurve, balance: number): number {
  const steps = penalties.length - 1;
  if (balances === null) {
    const place = curvePlace(end, steps, balance);
    const at = Math.min(Math.floor(place), steps - 1);
    return between(penalties[at], penalties[at + 1], place - at);
  }
  const inside = within(balances[0] ?? 0, end, balance);
  if (Number.isNaN(inside)) return inside;
  let at = 0;
  while (at < steps - 1 && (balances[at + 1] ?? 0) < inside) at += 1;
  const [from, to] = [balances[at] ?? 0, balances[at + 1] ?? 0];
  return between(penalties[at], penalties[at + 1], to > from ? (inside - from) / (to - from) : 0);
}

/** How many steps an evenly spaced curve takes from 0 to the balance; NaN where it is clearly outside. */
export function curvePlace(end: number, steps: number, balance: number): number {
  return (within(0, end, balance) / end) * steps;
}

/** A balance that is outside by no more than rounding errors is moved to the end of the curve; else NaN. */
function within(start: number, end: number, balance: number): number {
  const slack = 1e-9 * end;
  if (balance > end + slack || balance < start - slack) return Number.NaN;
  return Math.min(Math.max(balance, start), end);
}

/**
 * How a penalty changes around a balance: by `fall` for each unit that the balance falls, exactly so up to
 * `fallStraight` units, and never by less after that. `rise` and `riseStraight` say the same of a balance that rises.
 */
export type Slopes = { fall: number; fallStraight: number; rise: number; riseStraight: number };
export const NO_SLOPES: Slopes = {
  fall: 0,
  fallStraight: Number.POSITIVE_INFINITY,
  rise: 0,
  riseStraight: Number.POSITIVE_INFINITY,
};
/** For a balance outside the curve: these values rule no edge out, so that a search computes the fee itself. */
const NOWHERE = { slope: Number.NEGATIVE_INFINITY, straight: -1 };
/** Slopes that differ by less are the same but for rounding. */
const ROUNDING = 1e-9;

export function slopesAt(curve: TariffCurve, balance: number): Slopes {
  const isInside = balance >= balanceAt(curve, 0) && balance <= curve.end;
  const fall = isInside ? slopeFrom(curve, balance, -1) : NOWHERE;
  const rise = isInside ? slopeFrom(curve, balance, 1) : NOWHERE;
  return {
    fall: fall.slope,
    fallStraight: fall.straight,
    rise: rise.slope,
    riseStraight: rise.straight,
  };
}

/** `step`: 1 towards higher balances, -1 towards lower ones. */
function slopeFrom(curve: TariffCurve, balance: number, step: 1 | -1) {
  const { penalties } = curve;
  const penaltyOf = (at: number) => penalties[at] ?? 0;
  const distance = (at: number) => step * (balanceAt(curve, at) - balance);
  let next = step > 0 ? 1 : penalties.length - 2;
  while (next in penalties && distance(next) <= 0) next += step;
  if (!(next in penalties)) return NOWHERE;
  const before = next - step;
  // The slope is not measured from the balance itself: very near to a point it would be nothing but a rounding error.
  const slope = (penaltyOf(next) - penaltyOf(before)) / (distance(next) - distance(before));
  const here = roughPenalty(curve, balance);
  let least = slope;
  for (let at = next + step; at in penalties; at += step) {
    least = Math.min(least, (penaltyOf(at) - here) / distance(at));
  }
  const isLeast = least >= slope - ROUNDING * Math.abs(slope);
  return { slope: least, straight: isLeast ? distance(next) : -1 };
}

function balanceAt({ balances, end, penalties }: TariffCurve, at: number): number {
  return balances === null ? (end * at) / (penalties.length - 1) : (balances[at] ?? 0);
}

function between(low = 0, high = 0, share: number): number {
  return low + (high - low) * share;
}
