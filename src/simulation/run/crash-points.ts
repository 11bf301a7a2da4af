/** All points of a scenario at which a node can die, and the runs in which one does. */
import type { Scenario } from '../scenario/schema/schema.ts';
import { buildNetwork } from '../scenario/topology.ts';
import { createRandomness } from '../world/randomness.ts';
import type { Crash } from './play.ts';
import { simulate } from './simulate.ts';

/** The seed of the runs in which nodes die: the points depend on it. */
export const CRASH_SEED = 1;

/**
 * The points that honest nodes pass before the calm phase when no node dies, in the order of nodes and points. A
 * point is a place in the code and how often it was passed.
 */
export async function crashPointsOf(scenario: Scenario): Promise<Crash[]> {
  const { nodes } = buildNetwork(scenario, createRandomness(CRASH_SEED));
  const honest = new Set(nodes.filter(({ isHonest }) => isHonest).map(({ index }) => index));
  const calmBlock = Number(scenario.run.blocks - scenario.run.calm);
  const met = new Map<string, { index: number; point: string; times: number }>();
  let isCalm = false;
  await simulate({
    scenario,
    seed: CRASH_SEED,
    onBlock({ block }) {
      isCalm = block + 1 >= calmBlock;
      return true;
    },
    onPoint(index, point) {
      if (isCalm || !honest.has(index)) return;
      const key = `${index} ${point}`;
      const known = met.get(key) ?? { index, point, times: 0 };
      known.times += 1;
      met.set(key, known);
    },
  });
  return [...met.values()].flatMap(({ index, point, times }) =>
    Array.from({ length: times }, (_, n) => ({ index, point, nth: n + 1 })),
  );
}

/**
 * The crashes of the n-th run, from 0 on, among the runs in which nodes die at one of the points, or at each pair
 * of them. A node starts again two blocks later. The second point may be of any node, and is counted from its last
 * start on.
 */
export function crashesOf(points: readonly Crash[], deaths: 1 | 2, n: number): Crash[] {
  const places = deaths === 1 ? [n] : [Math.floor(n / points.length), n % points.length];
  return places.flatMap((place) => points[place] ?? []);
}
