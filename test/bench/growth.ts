/** How a cost grows with a size: the power of the size that fits its rows best. */
import { round } from './report.ts';

/** `size`: of what is counted, such as channels; `cost`: in the unit of the curve. */
export type Point = { size: number; cost: number };
export type Curve = { name: string; unit: string; counted: string; points: readonly Point[] };

/**
 * The exponent x of cost = c · size^x, by least squares over the logarithms: 0 when the cost stays the same, 1 when it
 * grows as the size does. NaN with fewer than two points; a cost that is not above 0 is left out.
 */
export function exponentOf(points: readonly Point[]): number {
  const logs = points
    .filter(({ size, cost }) => size > 0 && cost > 0)
    .map(({ size, cost }) => ({ x: Math.log(size), y: Math.log(cost) }));
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(logs.map((one) => one.x)), mean(logs.map((one) => one.y))];
  const spread = logs.reduce((sum, one) => sum + (one.x - x) ** 2, 0);
  return logs.reduce((sum, one) => sum + (one.x - x) * (one.y - y), 0) / spread;
}

/** Such as `n^1.02`. */
export function growthText(points: readonly Point[]): string {
  return `n^${exponentOf(points).toFixed(2)}`;
}

/** Prints a line for each curve: its costs by size, and how they grow. */
export function printGrowth(curves: readonly Curve[]): void {
  console.table(
    curves.map(({ name, unit, counted, points }) => ({
      cost: name,
      unit,
      'by size': points
        .map(({ size, cost }) => `${size.toLocaleString('en')}: ${round(cost)}`)
        .join('  '),
      of: counted,
      'grows as': growthText(points),
    })),
  );
}
