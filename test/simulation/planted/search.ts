/** Looks for a planted defect in the world that is to show it. */
import type { RunEvent } from '../../../src/simulation/run/build.ts';
import type * as Simulation from '../../../src/simulation/run/simulate.ts';
import type { Scenario } from '../../../src/simulation/scenario/schema/schema.ts';
import { smallScenario } from '../small-scenarios.ts';
import { importWith } from './loader.ts';
import type { PlantedBug } from './patch.ts';
import { WORLDS } from './worlds/list.ts';

const ENTRY = 'src/simulation/run/simulate.ts';

/** What a run said of it: the seed is how many runs it took. */
export type Finding = { seed: number; invariant: number; text: string };

/** Throws when there is no world of this name. */
export function worldNamed(name: string): Scenario {
  const part = WORLDS[name];
  if (part === undefined) throw new Error(`there is no world "${name}"`);
  return smallScenario(name, 'A world in which a planted defect shows.', part);
}

/** The first of the seeds, from 1 on, with which the world is violated. Null as defect: the node as it is. */
export async function search(
  bug: PlantedBug | null,
  world: string,
  mostSeeds: number,
  onEvent: (event: RunEvent) => void = () => {},
): Promise<Finding | null> {
  const { simulate } = await importWith<typeof Simulation>(bug, ENTRY);
  const scenario = worldNamed(world);
  for (let seed = 1; seed <= mostSeeds; seed++) {
    const { violation } = await simulate({ scenario, seed, onEvent });
    // The name of an invariant begins with its number.
    if (violation !== null)
      return { seed, invariant: Number.parseInt(violation.invariant, 10), text: violation.text };
  }
  return null;
}
