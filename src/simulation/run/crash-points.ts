/** Every single point of a scenario at which a node can die, and the runs in which it does. */
import type { RunResult } from '../report/result.ts';
import type { Scenario } from '../scenario/schema.ts';
import { buildNetwork } from '../scenario/topology.ts';
import { createRandomness } from '../world/randomness.ts';
import type { Crash } from './play.ts';
import { simulate } from './simulate.ts';

export type CrashRun = { crashes: readonly Crash[]; result: RunResult };

/**
 * The points that honest nodes meet before the calm phase when nobody dies, in the order of nodes and points.
 * Points that wait for others to be on the wire alone count too: a point is a place in the code and a number.
 */
export async function crashPointsOf(scenario: Scenario, seed: number): Promise<Crash[]> {
  const { nodes } = buildNetwork(scenario, createRandomness(seed));
  const honest = new Set(nodes.filter(({ isHonest }) => isHonest).map(({ index }) => index));
  const calmBlock = Number(scenario.run.blocks - scenario.run.calm);
  const met = new Map<string, { index: number; point: string; times: number }>();
  let isCalm = false;
  await simulate({
    ...{ scenario, seed },
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

/** One run for each point: there the node dies, and comes back two blocks later. */
export async function* dieEverywhere(scenario: Scenario, seed: number): AsyncGenerator<CrashRun> {
  for (const crash of await crashPointsOf(scenario, seed)) {
    const crashes = [crash];
    yield { crashes, result: await simulate({ scenario, seed, crashes }) };
  }
}

/** One run for each pair of points: the second is of any node, counted from its last start on. */
export async function* dieTwice(scenario: Scenario, seed: number): AsyncGenerator<CrashRun> {
  const points = await crashPointsOf(scenario, seed);
  for (const first of points)
    for (const second of points) {
      const crashes = [first, second];
      yield { crashes, result: await simulate({ scenario, seed, crashes }) };
    }
}
