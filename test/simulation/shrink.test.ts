/** Shrinking keeps the failure and leaves out what it does not need. */

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type * as Simulate from '../../src/simulation/run/simulate.ts';
import { type Summary, summaryOf } from '../../src/simulation/run/summary.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { shrink, shrunkText } from '../../src/simulation/shrink.ts';
import { importWith } from './planted/loader.ts';
import { LOCKS } from './planted/locks.ts';

const TREE = {
  version: 1,
  title: 'More than a defect needs',
  description: 'A mediator among others, faults that do not matter, and a second flow.',
  network: { topology: { kind: 'line', nodes: 5 } },
  defaults: { reveal_timeout: 20, settle_timeout: 60 },
  traffic: [
    { rate: { kind: 'poisson', per_block: 1 }, amount: { kind: 'constant', amount: '1 token' } },
    { rate: { kind: 'poisson', per_block: 1 }, amount: { kind: 'constant', amount: '2 tokens' } },
  ],
  faults: [{ kind: 'loss', share: 0.1, when: { at_block: 3, blocks: 2 } }],
  run: { blocks: 40, calm: 20 },
  expectations: [{ measure: 'kills', equals: 0 }],
};

async function runnerWith(id: string) {
  const bug = LOCKS.find((one) => one.id === id) ?? null;
  const file = 'src/simulation/run/simulate.ts';
  const { simulate } = await importWith<typeof Simulate>(bug, file);
  return async (scenario: Scenario, seed: number): Promise<Summary> =>
    summaryOf(await simulate({ scenario, seed }), 0);
}

describe('a failing scenario', () => {
  it('shrinks to a file that fails in the same way, with the same trace every time', async () => {
    const run = await runnerWith('R2b');
    const shrunk = await shrink({ tree: TREE, name: 'big', seed: 3, run, mostRuns: 60 });
    if (shrunk === null) throw new Error('it does not fail');
    expect(shrunk.failure).toMatch(/^[67] /);
    expect(shrunk.summary.violation?.invariant).toBe(shrunk.failure);
    expect(shrunk.smaller).toBeGreaterThan(4);
    const text = shrunkText(shrunk, 'big');
    const parsed = parseScenario(text, 'big');
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
    const { scenario } = parsed;
    expect(scenario.seed).toBe(3);
    expect(scenario.network.topology).toMatchObject({ kind: 'line', nodes: 3 });
    expect(scenario.faults).toEqual([]);
    expect(scenario.expectations).toEqual([]);
    expect(scenario.traffic).toHaveLength(1);
    expect(Number(scenario.run.blocks)).toBeLessThan(40);
    const again = await run(scenario, scenario.seed);
    expect(again.trace).toBe(shrunk.summary.trace);
    expect(text).toContain(again.trace);
  });
});

describe('shrinking', () => {
  const passed = { verdict: 'passed' as const };
  /** A run that fails while the scenario has an expectation of kills and at least two nodes. */
  const pretend = async (scenario: Scenario, seed: number): Promise<Summary> => {
    const { simulate } = await import('../../src/simulation/run/simulate.ts');
    const bare = {
      ...scenario,
      traffic: [],
      faults: [],
      run: { ...scenario.run, blocks: 1n, calm: 0n },
    };
    const summary = summaryOf(await simulate({ scenario: bare, seed }), 0);
    const isBad = scenario.expectations.some(({ measure }) => measure === 'kills');
    return isBad
      ? { ...summary, verdict: 'failed', unmet: [{ text: 'kills = 0', actual: '1' }] }
      : { ...summary, ...passed, unmet: [] };
  };

  it('makes no more runs than it may', async () => {
    let runs = 0;
    const run = async (scenario: Scenario, seed: number) => {
      runs += 1;
      return pretend(scenario, seed);
    };
    const shrunk = await shrink({ tree: TREE, name: 'big', seed: 3, run, mostRuns: 4 });
    expect(runs).toBe(4);
    expect(shrunk?.isSmallest).toBe(false);
  });

  it('leaves nothing that can be taken away, and the expectation that is not met', async () => {
    const options = { tree: TREE, name: 'big', seed: 3, run: pretend, mostRuns: 200 };
    const shrunk = await shrink(options);
    if (shrunk === null) throw new Error('it does not fail');
    expect(shrunk.isSmallest).toBe(true);
    expect(shrunk.failure).toBe('kills = 0');
    const left: unknown = parse(shrunkText(shrunk, 'big'));
    expect(left).toMatchObject({ expectations: [{ measure: 'kills', equals: 0 }], seed: 3 });
    expect(Object.keys(shrunk.tree)).not.toContain('traffic');
    expect(Object.keys(shrunk.tree)).not.toContain('defaults');
  });

  it('has nothing to do for a scenario that passes', async () => {
    const tree = { ...TREE, expectations: [] };
    expect(await shrink({ tree, name: 'big', seed: 3, run: pretend, mostRuns: 9 })).toBeNull();
  });
});
