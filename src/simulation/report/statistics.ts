/** Statistics of a run's numbers, computed before they are drawn. */
import type { Draw } from '../world/randomness.ts';
import type { Histogram } from './result.ts';

export type Point = { readonly x: number; readonly y: number };

export function total(histogram: Histogram): number {
  return histogram.reduce((sum, { count }) => sum + count, 0);
}

/** The smallest value that at least the given share (0 to 1) of the entries does not exceed; null: no entries. */
export function quantile(histogram: Histogram, share: number): number | null {
  const wanted = share * total(histogram);
  let seen = 0;
  let last: number | null = null;
  for (const { value, count } of histogram) {
    if (count === 0) continue;
    seen += count;
    last = value;
    if (seen >= wanted) return value;
  }
  return last;
}

/** For each value, the share of entries that do not exceed it, up to 1. */
export function cumulative(histogram: Histogram): Point[] {
  const all = total(histogram);
  let seen = 0;
  return histogram
    .filter(({ count }) => count > 0)
    .map(({ value, count }) => {
      seen += count;
      return { x: value, y: seen / all };
    });
}

/**
 * The Lorenz curve: the share of all income (y) that the poorest share of the owners (x) has, from (0, 0) to (1,
 * 1), with at most about `most` points. Negative income counts as none; the diagonal when nobody has any.
 */
export function lorenz(incomes: readonly bigint[], most = 100): Point[] {
  const sorted = incomes.map((income) => (income > 0n ? income : 0n)).sort(ascending);
  const all = sorted.reduce((sum, income) => sum + income, 0n);
  if (all === 0n) return [corner(0), corner(1)];
  const every = Math.ceil(sorted.length / most);
  const points = [corner(0)];
  let sum = 0n;
  for (const [at, income] of sorted.entries()) {
    sum += income;
    const isLast = at === sorted.length - 1;
    if ((at + 1) % every === 0 && !isLast) {
      points.push({ x: (at + 1) / sorted.length, y: shareOf(sum, all) });
    }
  }
  return [...points, corner(1)];
}

/**
 * The Gini coefficient, twice the area between the diagonal and a Lorenz curve: 0: all earn the same, 1: one earns
 * all.
 */
export function gini(curve: readonly Point[]): number {
  let under = 0;
  for (const [at, { x, y }] of curve.entries()) {
    const before = curve[at - 1];
    if (before !== undefined) under += ((x - before.x) * (y + before.y)) / 2;
  }
  return Math.min(1, Math.max(0, 1 - 2 * under));
}

/** `part` as a share of `whole` with six digits after the point, for drawing; 0 when `whole` is 0. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole <= 0n ? 0 : Number((part * 1_000_000n) / whole) / 1e6;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export type Interval = { readonly mean: number; readonly low: number; readonly high: number };

/**
 * The mean, with the interval that contains 95 of 100 means of as many values drawn from these again and again
 * (percentile bootstrap). Null when there are fewer than two.
 */
export function bootstrapMean(
  values: readonly number[],
  draw: Draw,
  resamples = 2000,
): Interval | null {
  if (values.length < 2) return null;
  const means: number[] = [];
  for (let n = 0; n < resamples; n++) {
    let sum = 0;
    for (let m = 0; m < values.length; m++) sum += draw.pick(values);
    means.push(sum / values.length);
  }
  means.sort((a, b) => a - b);
  const at = (share: number) => means[Math.min(resamples - 1, Math.floor(share * resamples))] ?? 0;
  return { mean: mean(values), low: at(0.025), high: at(0.975) };
}

function corner(at: number): Point {
  return { x: at, y: at };
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
