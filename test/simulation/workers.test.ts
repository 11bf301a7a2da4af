/** Many runs: in order, the same in whichever thread they are, and none takes another with it. */
import { describe, expect, it } from 'vitest';
import { mixScenario, mixTree } from '../../src/simulation/run/mix/mix.ts';
import { parseScenario, validate } from '../../src/simulation/scenario/parse.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { carryOut, type Order } from '../../src/simulation/workers/order.ts';
import { heldAgainst, isMadeTwice } from '../../src/simulation/workers/repeat.ts';
import { runSeeds } from '../../src/simulation/workers/run-seeds.ts';
import { createRunner } from '../../src/simulation/workers/runner.ts';
import { createStopper } from '../../src/simulation/workers/stopper.ts';

/** Ends after a few blocks, so that many runs of it take no time. */
const SHORT = `
version: 1
title: Two friends
description: A few payments between two nodes.
network: { topology: { kind: line, nodes: 2 } }
traffic:
  - { rate: { kind: poisson, per_block: 1 }, amount: { kind: constant, amount: 1 token } }
run: { blocks: 12, calm: 4 }
`;
const scenario = scenarioIn(SHORT);
const source = { kind: 'scenario', scenario } as const;
const never = { isStopped: () => false, onProgress: () => {} };
const order = (seed: number): Order => {
  return { source, seed, commit: null, isWhole: false, events: null };
};

function scenarioIn(text: string): Scenario {
  const parsed = parseScenario(text, 'short');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

/** What this run must not be able to read. */
function broken(): Scenario {
  return {
    ...scenario,
    get traffic(): never {
      throw new Error('the traffic is broken');
    },
  };
}

describe('a run that is made twice', () => {
  it('has the same result both times, and fails when it does not', async () => {
    const once = await carryOut({ ...order(7), isWhole: true }, never);
    const twice = await carryOut({ ...order(7), isMadeTwice: true }, never);
    expect(twice.summary).toMatchObject({ verdict: 'passed', trace: once.summary.trace });
    if (once.result === null) throw new Error('no result');
    const other = { ...once.result, trace: '0x1' };
    expect(heldAgainst(once.result, once.result)).toBe(once.result);
    expect(heldAgainst(once.result, { ...other, verdict: 'stopped' })).toBe(once.result);
    const { verdict, violation } = heldAgainst(once.result, other);
    expect([verdict, violation?.invariant]).toEqual([
      'failed',
      '33 the same seed gives the same run',
    ]);
    expect(violation?.text).toContain('seed 7');
  });

  it('is every fiftieth run', () => {
    const seeds = Array.from({ length: 100 }, (_, n) => n + 1);
    expect(seeds.filter(isMadeTwice)).toEqual([50, 100]);
  });
});

describe('many seeds', () => {
  it('come back in their order, each with the trace of a run of its own', async () => {
    const seeds = { from: 3, to: 5 };
    const found = await runSeeds({ source, seeds, workers: 1, stopper: createStopper() });
    expect(found.map(({ summary }) => summary.seed)).toEqual([3, 4, 5]);
    const alone = await carryOut(order(4), never);
    expect(found[1]?.summary.trace).toBe(alone.summary.trace);
    expect(new Set(found.map(({ summary }) => summary.trace)).size).toBe(3);
    expect(found.every(({ summary }) => summary.verdict === 'passed')).toBe(true);
    expect(found.every(({ result }) => result === null)).toBe(true);
  });

  it('end with the runs that are finished when somebody stops them', async () => {
    const stopper = createStopper();
    const onProgress = () => stopper.stop();
    const seeds = { from: 1, to: 9 };
    const found = await runSeeds({ source, seeds, workers: 1, stopper, onProgress });
    expect(found.map(({ summary }) => summary.seed)).toEqual([1]);
  });

  it('end with the run that is under way when the time is over', async () => {
    let done = 0;
    const onProgress = (progress: { done: number }) => {
      done = progress.done;
    };
    const options = { seeds: { from: 1, to: 9 }, workers: 1, stopper: createStopper(), onProgress };
    const found = await runSeeds({ source, ...options, isOver: () => done >= 2 });
    expect(found.map(({ summary }) => summary.seed)).toEqual([1, 2]);
  });

  it('go on after a run in which the program fails, and name its seed', async () => {
    const failing = { kind: 'scenario', scenario: broken() } as const;
    const seeds = { from: 1, to: 2 };
    const stopper = createStopper();
    const found = await runSeeds({ source: failing, seeds, workers: 1, stopper });
    expect(found.map(({ summary }) => [summary.seed, summary.hasCrashed])).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(found[0]?.summary.violation?.text).toContain('the traffic is broken');
  });

  it('stop at the first that fails when they are told to', async () => {
    const failing = { kind: 'scenario', scenario: broken() } as const;
    const options = { seeds: { from: 1, to: 9 }, workers: 1, stopper: createStopper() };
    const found = await runSeeds({ source: failing, ...options, isStoppedByFailure: true });
    expect(found).toHaveLength(1);
  });
});

describe('a run', () => {
  it('leaves the clock and the chance of its thread as they were', async () => {
    const before = [Date, setTimeout, Math.random, fetch];
    await createRunner({ stopper: createStopper() }).run(order(1));
    expect([Date, setTimeout, Math.random, fetch]).toEqual(before);
  });

  it('can be stopped before its first block, and says so', async () => {
    const { summary } = await carryOut(order(1), { ...never, isStopped: () => true });
    expect(summary.verdict).toBe('stopped');
    expect(summary.blocks).toBe(0);
  });

  it('tells the events of the steps that are asked for, and ends there', async () => {
    const events = { fromStep: 200, untilStep: 300, most: 1_000 };
    const { summary, events: lines } = await carryOut({ ...order(1), events }, never);
    const steps = lines.map((line) => Number(line.split(' ')[0]));
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(200);
    expect(Math.max(...steps)).toBeLessThanOrEqual(300);
    expect(summary.verdict).toBe('stopped');
    const last = { fromStep: null, untilStep: null, most: 5 };
    const whole = await carryOut({ ...order(1), events: last }, never);
    expect(whole.events).toHaveLength(5);
    expect(whole.summary.verdict).toBe('passed');
  });

  it('is the same from the plain data of a small world as from its seed', () => {
    const parsed = validate({ value: mixTree(8), lineOf: () => null }, 'mix');
    expect(parsed).toEqual({ ok: true, scenario: mixScenario(8) });
  });
});
