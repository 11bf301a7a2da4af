/** Disks that forget in a run, and the real things that a run can take in the place of the quick ones. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { eventsOf, scenarioOf } from './small-scenarios.ts';

const BUSY = {
  network: { topology: { kind: 'ring', nodes: 4 } },
  defaults: { reveal_timeout: 15, settle_timeout: 40, gas_money: '10 ether' },
  traffic: [
    {
      rate: { kind: 'poisson', per_block: 2 },
      amount: { kind: 'uniform', least: '1 tokens', most: '3 tokens' },
    },
  ],
};
const LEAVING = { steps: [{ do: 'leave', at_block: 60, nodes: '1' }] };
const LONG = { run: { blocks: 220, calm: 130 } };
const SETTLED = [{ measure: 'settled_channels', equals: 2 }];

describe('a node whose disk forgets', () => {
  it('promises nothing any more in the channels of an old copy, and can leave them', async () => {
    const faults = [{ kind: 'disk_old_copy', nodes: '1', age: 15, when: { at_block: 40 } }];
    const given = { ...BUSY, ...LEAVING, ...LONG, faults, expectations: SETTLED };
    const { result } = await eventsOf(scenarioOf(given), 3);
    expect(result.violation).toBeNull();
    expect(result.nodes.map(({ kills }) => kills)).toEqual([0, 1, 0, 0]);
    expect(result.expectations[0]).toMatchObject({ actual: '2' });
    expect(result.nodes.flatMap(({ loss }, n) => (n === 1 ? [] : [loss]))).toEqual([0n, 0n, 0n]);
  });

  it('hurts nobody else when its disk never held what it said was written', async () => {
    const faults = [{ kind: 'disk_lost_writes', nodes: '1', commits: 20, when: { at_block: 40 } }];
    const given = { ...BUSY, ...LEAVING, ...LONG, faults };
    const { result } = await eventsOf(scenarioOf(given), 1);
    expect(result.violation).toBeNull();
    expect(result.nodes[1]?.kills).toBe(1);
    expect(result.nodes.flatMap(({ loss }, n) => (n === 1 ? [] : [loss]))).toEqual([0n, 0n, 0n]);
  });
});

/** When a mediated payment has arrived, in milliseconds of the run. */
const arrivalOf = async (faults: object[]) => {
  const steps = [
    { do: 'pay', at_block: 10, node: 0, to: 2, amount: '1 tokens', expect: 'success' },
  ];
  const { events, result } = await eventsOf(
    scenarioOf({ steps, faults, run: { blocks: 40, calm: 10 } }),
    1,
  );
  expect([result.verdict, result.violation]).toEqual(['passed', null]);
  const end = events.find(({ what }) => what.startsWith('payment of'));
  return end?.virtualMs ?? 0;
};

describe('a node whose disk is slow', () => {
  it('pays as late as its writes take', async () => {
    const slow = (ms: number) => [
      { kind: 'disk_slow', nodes: '1', ms, when: { at_block: 8, blocks: 20 } },
    ];
    const [quick, late] = [await arrivalOf([]), await arrivalOf(slow(2_000))];
    expect(late - quick).toBeGreaterThan(4_000);
    expect(await arrivalOf(slow(4_000))).toBeGreaterThan(late);
  });
});

describe('a node whose disk has each write only later', () => {
  it('pays as late as its disk is, and goes on meanwhile', async () => {
    const late = (ms: number) => [
      { kind: 'disk_late', nodes: '1', ms, when: { at_block: 8, blocks: 20 } },
    ];
    const [quick, slow] = [await arrivalOf([]), await arrivalOf(late(2_000))];
    expect(slow - quick).toBeGreaterThan(4_000);
    expect(await arrivalOf(late(4_000))).toBeGreaterThan(slow);
  });
});

describe('a slow disk in a network where another disk is late', () => {
  it('takes its time all the same', async () => {
    const when = { at_block: 8, blocks: 20 };
    const late = { kind: 'disk_late', nodes: '2', ms: 1, when };
    const quick = await arrivalOf([late]);
    const slow = await arrivalOf([late, { kind: 'disk_slow', nodes: '1', ms: 2_000, when }]);
    expect(slow - quick).toBeGreaterThan(4_000);
  });
});

describe('a run with real files or real signatures', () => {
  const RUN = { blocks: 60, calm: 40 };
  const traceOf = async (run: object) => {
    const { trace, verdict } = await simulate({ scenario: scenarioOf({ ...BUSY, run }), seed: 5 });
    return { trace, verdict };
  };

  it('does on real files what it does in memory, step for step', async () => {
    const [memory, file] = [await traceOf(RUN), await traceOf({ ...RUN, disk: 'file' })];
    expect(file).toEqual(memory);
  });

  it('passes with the signatures of the real world, too', async () => {
    const [fast, real] = [await traceOf(RUN), await traceOf({ ...RUN, crypto: 'real' })];
    expect(real.verdict).toBe('passed');
    expect(real.trace).not.toBe(fast.trace);
  });

  it('has real signatures for about the share of the seeds that the scenario says', async () => {
    const scenario = scenarioOf({ ...BUSY, run: { ...RUN, crypto: 0.5 } });
    const addresses = new Set<string>();
    for (let seed = 1; seed <= 8; seed++) {
      const { nodes } = await simulate({ scenario, seed, onBlock: () => false });
      addresses.add(nodes[0]?.address ?? '');
    }
    expect(addresses.size).toBe(2);
  });
});
