/** Compares many pairs of runs, with how much of their difference chance explains. */

import { pairsOf } from './estimates.ts';
import { type Figure, keyFigures } from './results/figures.ts';
import type { RunResult } from './results/result.ts';
import { type Interval, mean, meanInterval } from './results/statistics.ts';

/**
 * A figure over all pairs. The means are null when no pair has measured the figure; `difference`, of b less a, is null
 * when fewer than two have.
 */
export type PairedFigure = {
  readonly name: string;
  readonly pairs: number;
  readonly meanA: number | null;
  readonly meanB: number | null;
  readonly difference: Interval | null;
} & Pick<Figure, 'write'>;

/** Pairs runs of equal seed; those without a counterpart are left out. */
export function compareMany(as: readonly RunResult[], bs: readonly RunResult[]): PairedFigure[] {
  const pairs = pairsOf(as, bs).map(({ a, b }) => ({ a: keyFigures(a), b: keyFigures(b) }));
  const [first] = pairs;
  return (first?.a ?? []).map(({ name, write }, at) => {
    const measured = pairs.flatMap(({ a, b }) => {
      const [left, right] = [a[at]?.value ?? null, b[at]?.value ?? null];
      return left === null || right === null ? [] : [{ left, right }];
    });
    return {
      name,
      write,
      pairs: measured.length,
      meanA: measured.length === 0 ? null : mean(measured.map(({ left }) => left)),
      meanB: measured.length === 0 ? null : mean(measured.map(({ right }) => right)),
      difference: meanInterval(measured.map(({ left, right }) => right - left)),
    };
  });
}
