/** Scenarios that come with the program, to their ends: the quick ones. All of them: SLUICE_ALL_SCENARIOS=1. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { readScenario, scenarioNames } from '../../src/simulation/scenario/catalogue.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';

const QUICK = [
  'attack-front-run-registration',
  'attack-ghost-mediator',
  'attack-late-reveal',
  'attack-of-chance',
  'attack-small-settle-timeout',
  'attack-start-end',
  'channel-life',
  'imported-network',
  'reorganisation-beyond-confirmations',
];
/** There is not enough memory for it. */
const TOO_LARGE = 'scale-free-1000-hubs-fail';
const all = scenarioNames().filter((name) => name !== TOO_LARGE);
const names = process.env['SLUICE_ALL_SCENARIOS'] === '1' ? all : QUICK;

describe('a scenario that comes with the program', () => {
  it.each(names)(
    'ends as it says: %s',
    async (name) => {
      const parsed = parseScenario(readScenario(name) ?? '', name);
      if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
      const { scenario } = parsed;
      const { verdict, violation, expectations } = await simulate({
        scenario,
        seed: scenario.seed,
      });
      const unmet = expectations.filter(({ isMet }) => !isMet);
      expect({ verdict, violation: violation?.text, unmet }).toEqual({
        verdict: 'passed',
        violation: undefined,
        unmet: [],
      });
    },
    1_800_000,
  );
});
