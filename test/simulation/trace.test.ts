import { expect, it } from 'vitest';
import type * as Simulation from '../../src/simulation/run/simulate.ts';
import { importWith } from './planted/loader.ts';
import type { PlantedBug } from './planted/patch.ts';
import { pay, smallScenario } from './small-scenarios.ts';

const JOURNAL = 'src/node/runtime/commits/journal-writer.ts';
/** It writes as many rows as without it, and says the same to everybody. */
const OTHER_ROWS: PlantedBug = {
  id: 'T1',
  title: 'The journal has every step an hour late.',
  edits: [{ file: JOURNAL, text: 'time: now() }', replacement: 'time: now() + 3_600_000 }' }],
  expected: 'margin',
  needs: [],
  noticedBy: null,
};
const OTHER_ANSWER: PlantedBug = {
  ...OTHER_ROWS,
  id: 'T2',
  title: 'The caller is told another amount than was paid.',
  edits: [
    {
      file: 'machines/initiator/outcome.ts',
      text: "value: { kind: 'payment', order }",
      replacement: "value: { kind: 'payment', order: { ...order, amount: order.amount + 1n } }",
    },
  ],
};

async function traceWith(bug: PlantedBug | null): Promise<string> {
  const { simulate } = await importWith<typeof Simulation>(bug, 'src/simulation/run/simulate.ts');
  const part = { steps: [pay(0, 1, 10)] };
  const scenario = smallScenario('trace', 'A payment, whose trace is compared.', part);
  const { trace, violation } = await simulate({ scenario, seed: 1 });
  expect(violation).toBeNull();
  return trace;
}

it('the trace of a run tells two runs apart of which one writes other rows, or answers something else', async () => {
  const plain = await traceWith(null);
  expect(await traceWith(null)).toBe(plain);
  expect(await traceWith(OTHER_ROWS)).not.toBe(plain);
  expect(await traceWith(OTHER_ANSWER)).not.toBe(plain);
});
