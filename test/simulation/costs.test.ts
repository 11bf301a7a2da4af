/** Runs in which the code of nodes takes time. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { pay, scenarioOf } from './small-scenarios.ts';

/** Forty payments over a mediator, all at once: what one takes is less than the millisecond by which a run counts. */
const BUSY = {
  network: {
    topology: { kind: 'line', nodes: 3 },
    token: { symbol: 'TOK', decimals: 0 },
    capacity: { kind: 'constant', amount: '10000' },
  },
  steps: Array.from({ length: 40 }, () => pay(0, 2, 1)),
  run: { blocks: 14, calm: 12 },
};

async function resultOn(core: number | null) {
  const result = await simulate({
    scenario: scenarioOf({ ...BUSY, defaults: { core } }),
    seed: 1,
  });
  expect([result.verdict, result.violation]).toEqual(['passed', null]);
  return result;
}

/** Milliseconds that a payment took on average. */
async function meanOn(core: number | null): Promise<number> {
  const { latencyMs } = (await resultOn(core)).histograms;
  const payments = latencyMs.reduce((sum, { count }) => sum + count, 0);
  return latencyMs.reduce((sum, { value, count }) => sum + value * count, 0) / payments;
}

describe('nodes whose code takes time', () => {
  it('do the same again with the same seed', async () => {
    expect((await resultOn(0.1)).trace).toBe((await resultOn(0.1)).trace);
  });

  it('take longer for a payment the less of a core they have', async () => {
    const [free, whole, tenth, fiftieth] = [
      await meanOn(null),
      await meanOn(1),
      await meanOn(0.1),
      await meanOn(0.02),
    ];
    expect(whole).toBeGreaterThan(free);
    expect(tenth).toBeGreaterThan(whole);
    expect(fiftieth).toBeGreaterThan(tenth);
  });
});
