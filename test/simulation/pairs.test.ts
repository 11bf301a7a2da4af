/** Runs of equal seed are pairs: what two variants have in common happens in both in the same way. */
import { describe, expect, it } from 'vitest';
import {
  type Estimate,
  estimate,
  estimateDifference,
  type RunResult,
  type Strategy,
} from '../../src/simulation/library.ts';
import type { PaymentRecord } from '../../src/simulation/report/payment-records.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { syntheticResult } from '../support/synthetic-result.ts';
import { scenarioOf } from './small-scenarios.ts';

const network = { topology: { kind: 'small_world', nodes: 8, neighbours: 4, rewired: 0.2 } };
const traffic = [
  {
    rate: { kind: 'poisson', per_block: 1 },
    amount: { kind: 'uniform', least: '1 token', most: '9 tokens' },
  },
  {
    name: 'shop',
    to: { kind: 'nodes', nodes: '0' },
    rate: { kind: 'poisson', per_block: 0.5 },
    amount: { kind: 'constant', amount: '2 tokens' },
  },
];
const plain = {
  network,
  traffic,
  defaults: { reveal_timeout: 20, settle_timeout: 60 },
  run: { blocks: 60, calm: 40 },
};

/** Who asked whom for what, and when; and what came of it. */
async function paymentsOf(given: object, strategies: readonly Strategy[] = []) {
  const records: PaymentRecord[] = [];
  const onPayment = (record: PaymentRecord) => void records.push(record);
  const result = await simulate({ scenario: scenarioOf(given), seed: 5, strategies, onPayment });
  const asked = records
    .filter(({ from, to }) => from !== to)
    .map(({ startMs, from, to, amount }) => ({ startMs, from, to, amount }))
    .toSorted((a, b) => a.startMs - b.startMs || a.from - b.from || a.to - b.to);
  return { asked, trace: result.trace };
}

describe('two variants of a scenario with one seed', () => {
  const busy: Strategy = {
    name: 'busy',
    nodes: '1',
    start: (node) => ({
      onBlock: async (block) => {
        node.setFees({ proportionalPpm: BigInt(node.random.integer(1, 5_000)) });
        const [first, last] = [node.channels().at(0), node.channels().at(-1)];
        const path = first && last && node.way(first.partner, last.partner, [1]);
        if (path && block % 3 === 0) await node.rebalance({ path, amount: 10n ** 18n });
      },
    }),
  };

  it.each<[string, object, readonly Strategy[]]>([
    [
      'in fees',
      { ...plain, defaults: { ...plain.defaults, fees: { proportional_ppm: 9_000 } } },
      [],
    ],
    ['in what is deposited', { ...plain, network: { ...network, split: 'random' } }, []],
    [
      'in a fault',
      { ...plain, faults: [{ kind: 'loss', share: 0.3, when: { at_block: 3, blocks: 9 } }] },
      [],
    ],
    ['in an attack', { ...plain, attacks: [{ plan: 'withheld_unlocks', nodes: '3' }] }, []],
    ['in a strategy', plain, [busy]],
  ])(
    'has the same payments at the same times when they differ %s',
    async (_, other, strategies) => {
      const [one, two] = [await paymentsOf(plain), await paymentsOf(other, strategies)];
      expect(one.asked.length).toBeGreaterThan(20);
      expect(two.asked).toEqual(one.asked);
      expect(two.trace).not.toBe(one.trace);
    },
  );

  it('has the same payments of one flow whatever another flow is like', async () => {
    const [first, second] = traffic;
    const faster = { ...first, rate: { kind: 'poisson', per_block: 2 } };
    const ofShop = ({ asked }: Awaited<ReturnType<typeof paymentsOf>>) =>
      asked.filter(({ to, amount }) => to === 0 && amount === 2n * 10n ** 18n);
    const one = ofShop(await paymentsOf(plain));
    expect(ofShop(await paymentsOf({ ...plain, traffic: [faster, second] }))).toEqual(one);
    expect(one.length).toBeGreaterThan(5);
  });
});

describe('a figure over runs', () => {
  const runs = [3, 5, 10].map((value, at): RunResult => {
    return { ...syntheticResult({ nodes: 2 }), seed: at + 1, steps: value };
  });
  const rounded = ({ runs: many, ...values }: Estimate) => [
    many,
    ...Object.values(values).map((value) => (value === null ? null : Math.round(1_000 * value))),
  ];

  it('is their mean, with the interval of 95 of 100 such samples', () => {
    // 6 ± 4.303 × √(13 / 3)
    expect(rounded(estimate(runs, ({ steps }) => steps))).toEqual([3, 6_000, -2_957, 14_957]);
    expect(rounded(estimate(runs, () => 7n))).toEqual([3, 7_000, 7_000, 7_000]);
  });

  it('leaves out runs that have measured nothing', () => {
    const some = estimate(runs, ({ seed, steps }) => (seed === 2 ? null : steps));
    expect([some.runs, some.mean]).toEqual([2, 6.5]);
    expect(rounded(estimate(runs.slice(0, 1), ({ steps }) => steps))).toEqual([
      1,
      3_000,
      null,
      null,
    ]);
    expect(rounded(estimate(runs, () => null))).toEqual([0, null, null, null]);
  });

  it('differs by pairs of equal seeds', () => {
    const others = runs.map((run) => ({ ...run, steps: run.steps + 2 })).reverse();
    const difference = estimateDifference(
      runs,
      [...others, { ...syntheticResult(), seed: 99 }],
      ({ steps }) => steps,
    );
    expect(rounded(difference)).toEqual([3, 2_000, 2_000, 2_000]);
  });
});
