/** The runs in which nodes die at points of their code. */
import type { Crash } from './play.ts';

/** The seed of the runs in which nodes die: the points depend on it. */
export const CRASH_SEED = 1;

/**
 * The crashes of the n-th run, from 0 on, among the runs in which nodes die at one of the points, or at each pair
 * of them. A node starts again two blocks later. The second point may be of any node, and is counted from its last
 * start on.
 */
export function crashesOf(points: readonly Crash[], deaths: 1 | 2, n: number): Crash[] {
  const places = deaths === 1 ? [n] : [Math.floor(n / points.length), n % points.length];
  return places.flatMap((place) => points[place] ?? []);
}
