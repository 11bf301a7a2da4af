/** Statistics of a run's numbers, computed before they are drawn. */
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

/** `part` as a share of `whole` with fifteen digits after the point; 0 when `whole` is 0. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole <= 0n ? 0 : Number((part * 10n ** 15n) / whole) / 1e15;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export type Interval = { readonly mean: number; readonly low: number; readonly high: number };

/**
 * The mean of values that chance draws, with the interval that holds the true mean in 95 of 100 such samples (Student's t,
 * so that two or three values do not look as sure as many). Null when there are fewer than two.
 */
export function meanInterval(values: readonly number[]): Interval | null {
  if (values.length < 2) return null;
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const error = Math.sqrt(squares / (values.length - 1) / values.length);
  const away = error === 0 ? 0 : studentQuantile(0.975, values.length - 1) * error;
  return { mean: middle, low: middle - away, high: middle + away };
}

/** Whether chance alone may give a difference; null: it was the same each time, so that nothing is known of chance. */
export function mayBeChance({ low, high }: Interval): boolean | null {
  return low === high ? null : low <= 0 && high >= 0;
}

/** The value below which a share (0 to 1) of Student's t distribution lies. */
export function studentQuantile(share: number, freedom: number): number {
  if (share < 0.5) return -studentQuantile(1 - share, freedom);
  // The distribution is known in the angle whose tangent is the value by the root of the freedom.
  let [low, high] = [0, Math.PI / 2];
  for (let n = 0; n < 60; n++) {
    const angle = (low + high) / 2;
    if ((1 + studentWithin(angle, freedom)) / 2 < share) low = angle;
    else high = angle;
  }
  return Math.tan(low) * Math.sqrt(freedom);
}

/** The share of the distribution on both sides of 0 up to this angle. Abramowitz and Stegun, 26.7.3 and 26.7.4. */
function studentWithin(angle: number, freedom: number): number {
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = freedom === 1 ? 0 : term;
  for (let n = isOdd ? 3 : 2; n < freedom; n += 2) {
    term *= ((n - 1) / n) * cosine * cosine;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
}
