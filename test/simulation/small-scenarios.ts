/** Small scenarios as data, and what comes of them. */
import type { RunEvent } from '../../src/simulation/run/build.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { validate } from '../../src/simulation/scenario/parse.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';

/** A line of three nodes without traffic, and whatever is given, written as in a file. */
export function scenarioOf(given: object): Scenario {
  const value = {
    version: 1,
    title: 'Small',
    description: 'For one question.',
    network: { topology: { kind: 'line', nodes: 3 } },
    ...given,
  };
  const parsed = validate({ value, lineOf: () => null }, 'small');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

/** Runs it and keeps all that is told of it. */
export async function eventsOf(scenario: Scenario, seed: number) {
  const events: RunEvent[] = [];
  const result = await simulate({ scenario, seed, onEvent: (event) => void events.push(event) });
  return { events, result };
}
