/** Small worlds in which the simulator or one of its rules was wrong, by their seeds: nothing is violated in them. */
import { expect, it } from 'vitest';
import { mixScenario } from '../../src/simulation/run/mix/mix.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';

it.each([
  [
    302,
    'no machine of a replicated node works, and its owner told only the one that could not take over',
  ],
  [309, 'somebody else unlocks in the very block at which a slow node sends its unlock'],
  [1056, 'the same, after a machine that had lost the stream was told first'],
  [146, 'a lock comes to a seller when the newest block is older than the time of its offer'],
  [620, 'a reorganisation took back the money for gas that a fault had taken and given again'],
])(
  'seed %i: %s',
  async (seed) => {
    const { violation } = await simulate({ scenario: mixScenario(seed), seed });
    expect(violation).toBeNull();
  },
  180_000,
);
