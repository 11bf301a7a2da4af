import { expect, it } from 'vitest';
import { createFaultSchedule } from '../../../src/simulation/run/faults/fault-schedule.ts';
import { createRandomness } from '../../../src/simulation/world/randomness.ts';

const RESTART = {
  kind: 'restart',
  nodes: [{ kind: 'all' }],
  when: { kind: 'after', occasion: 'registration_mined', nth: 1, blocks: 1n },
} as const;

/** A schedule that has met what its fault waits for; `strike` lets that fault begin. */
function met() {
  const struck: string[] = [];
  let strike = () => {};
  const schedule = createFaultSchedule({
    faults: [RESTART],
    nodes: [{ index: 0, role: 'node', degree: 1 }],
    randomness: createRandomness(1),
    calmBlock: 10,
    present: () => 9,
    soon: (_, work) => {
      strike = work;
    },
    strike(_, __, name) {
      struck.push(name);
      return () => {};
    },
    hits: () => 0,
    onFault: () => () => {},
  });
  schedule.saw(0, 'registerSecret', 'mined');
  return { schedule, struck, strike: () => strike() };
}

it('lets a fault begin soon after what it waits for', () => {
  const { struck, strike } = met();
  strike();
  expect(struck).toEqual(['restart 1']);
});

// The chain may be a block behind: nothing would end the fault any more, and a node would stay stopped for ever.
it('lets no fault begin once all have ended', () => {
  const { schedule, struck, strike } = met();
  schedule.end();
  strike();
  expect(struck).toEqual([]);
});
