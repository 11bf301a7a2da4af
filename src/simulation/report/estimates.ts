/** Means over runs of any figure, with how sure they are. */
import type { RunResult } from './results/result.ts';
import { mean, meanInterval } from './results/statistics.ts';

/** A figure of one run; null: it has nothing to measure. */
export type FigureOf = (result: RunResult) => number | bigint | null;

/**
 * The mean of so many runs that have measured something, and the interval that holds the true mean in 95 of 100 such
 * samples (Student's t). Null: there is none; of fewer than two runs there is no interval.
 */
export type Estimate = {
  readonly runs: number;
  readonly mean: number | null;
  readonly low: number | null;
  readonly high: number | null;
};

/** The figure over runs, such as those of one variant with many seeds. Amounts become numbers. */
export function estimate(results: readonly RunResult[], of: FigureOf): Estimate {
  return estimateOf(results.flatMap((result) => numberOf(of(result))));
}

/** The figure in `bs` less that in `as`, by pairs of runs of equal seed: what both have in common drops out. */
export function estimateDifference(
  as: readonly RunResult[],
  bs: readonly RunResult[],
  of: FigureOf,
): Estimate {
  const differences = pairsOf(as, bs).flatMap(({ a, b }) => {
    const [[left], [right]] = [numberOf(of(a)), numberOf(of(b))];
    return left === undefined || right === undefined ? [] : [right - left];
  });
  return estimateOf(differences);
}

/** Pairs of runs of equal seed; those without a counterpart are left out. */
export function pairsOf(as: readonly RunResult[], bs: readonly RunResult[]) {
  const partners = new Map(bs.map((result) => [result.seed, result]));
  return as.flatMap((a) => {
    const b = partners.get(a.seed);
    return b === undefined ? [] : [{ a, b }];
  });
}

export function estimateOf(values: readonly number[]): Estimate {
  const { low = null, high = null } = meanInterval(values) ?? {};
  return { runs: values.length, mean: values.length === 0 ? null : mean(values), low, high };
}

const numberOf = (value: number | bigint | null): number[] =>
  value === null ? [] : [Number(value)];
