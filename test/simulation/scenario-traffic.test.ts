/** Payments of scenarios, and the numbers that chance draws for them. */
import { describe, expect, it } from 'vitest';
import {
  createAmounts,
  createNormal,
  createWeightedPick,
  exponential,
} from '../../src/simulation/scenario/distributions.ts';
import { exp, ln, power } from '../../src/simulation/scenario/numbers/arithmetic.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import type { Distribution } from '../../src/simulation/scenario/schema/network.ts';
import { buildNetwork } from '../../src/simulation/scenario/topology.ts';
import { createTraffic, type Payment } from '../../src/simulation/scenario/traffic.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';

const COUNT = 20_000;
const draw = () => createRandomness(11).of('test');

function sorted(next: () => number): number[] {
  return Array.from({ length: COUNT }, next).toSorted((a, b) => a - b);
}
function amountsOf(distribution: Distribution): number[] {
  const next = createAmounts(distribution, draw());
  return sorted(() => Number(next()));
}
const quantile = (values: readonly number[], part: number) =>
  values[Math.floor(part * values.length)] ?? Number.NaN;
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const isAbout = (actual: number, wanted: number, part: number) =>
  expect(Math.abs(actual / wanted - 1)).toBeLessThan(part);

describe('arithmetic that is the same on every machine', () => {
  it('agrees with that of the language', () => {
    for (let n = -60; n <= 60; n++) {
      const x = 1.37 ** n * 3;
      expect(Math.abs(ln(x) - Math.log(x))).toBeLessThan(1e-13);
      isAbout(exp(n / 3), Math.exp(n / 3), 1e-13);
      isAbout(power(x, 0.7), x ** 0.7, 1e-13);
    }
    expect(ln(1)).toBe(0);
    expect(exp(0)).toBe(1);
    expect(exp(-1e9)).toBeGreaterThan(0);
  });

  it('refuses what has no logarithm', () => {
    for (const x of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => ln(x)).toThrow('no logarithm');
  });
});

describe('a distribution', () => {
  it('of one amount draws no other', () => {
    expect(new Set(amountsOf({ kind: 'constant', amount: 5n }))).toEqual(new Set([5]));
  });

  it('that is uniform has its ends and its middle', () => {
    const values = amountsOf({ kind: 'uniform', least: 100n, most: 200n });
    expect([values[0], values.at(-1)]).toEqual([100, 200]);
    isAbout(mean(values), 150, 0.01);
  });

  it('that is log-normal has the median and quantiles of the formula', () => {
    const median = 10n ** 18n;
    const values = amountsOf({ kind: 'lognormal', median, sigma: 1, most: null });
    isAbout(quantile(values, 0.5), 1e18, 0.04);
    isAbout(quantile(values, 0.8413), Math.E * 1e18, 0.05);
    isAbout(quantile(values, 0.1587), 1e18 / Math.E, 0.05);
    isAbout(mean(values), Math.exp(0.5) * 1e18, 0.05);
  });

  it('of Pareto has the quantiles of the formula', () => {
    const values = amountsOf({ kind: 'pareto', least: 1_000_000n, exponent: 2, most: null });
    for (const part of [0.1, 0.5, 0.9, 0.99])
      isAbout(quantile(values, part), 1_000_000 / Math.sqrt(1 - part), 0.06);
    expect(values[0]).toBeGreaterThanOrEqual(1_000_000);
  });

  it('never goes above its most, nor below one', () => {
    const pareto = amountsOf({ kind: 'pareto', least: 2n, exponent: 0.1, most: 50n });
    expect([pareto[0], pareto.at(-1)]).toEqual([2, 50]);
    const small = amountsOf({ kind: 'lognormal', median: 2n, sigma: 5, most: 9n });
    expect([small[0], small.at(-1)]).toEqual([1, 9]);
  });

  it('that is normal or exponential has the mean and deviation that it should', () => {
    const normal = sorted(createNormal(draw()));
    expect(Math.abs(mean(normal))).toBeLessThan(0.02);
    isAbout(mean(normal.map((x) => x * x)), 1, 0.03);
    isAbout(quantile(normal, 0.975), 1.96, 0.03);
    const row = draw();
    const pauses = sorted(() => exponential(row));
    isAbout(mean(pauses), 1, 0.02);
    isAbout(quantile(pauses, 0.5), Math.LN2, 0.03);
  });

  it('by weight draws each as often as its weight says', () => {
    const pick = createWeightedPick([1, 0, 3], draw());
    const counts = [0, 0, 0];
    for (let n = 0; n < COUNT; n++) {
      const place = pick() ?? 1;
      counts[place] = (counts[place] ?? 0) + 1;
    }
    expect(counts[1]).toBe(0);
    isAbout((counts[2] ?? 0) / (counts[0] ?? 1), 3, 0.06);
    expect(createWeightedPick([0, 0], draw())()).toBeNull();
  });

  it('draws on every machine what it drew here', () => {
    const lognormal = { kind: 'lognormal', median: 10n ** 18n, sigma: 1.5, most: null } as const;
    const next = createAmounts(lognormal, createRandomness(3).of('fixed'));
    expect([next(), next(), next()]).toMatchInlineSnapshot(`
      [
        444043572177356571n,
        3018226623535156250n,
        530368355438110894n,
      ]
    `);
  });
});

function paymentsOf(flow: string, { topology = '{ kind: ring, nodes: 10 }', more = '' } = {}) {
  const parsed = parseScenario(
    `version: 1\ntitle: T\ndescription: D\nnetwork:\n  topology: ${topology}\ntraffic:\n${flow}\n${more}`,
    'test',
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const randomness = createRandomness(parsed.scenario.seed);
  const { nodes } = buildNetwork(parsed.scenario, randomness);
  const traffic = createTraffic(parsed.scenario, nodes, randomness);
  const payments: Payment[] = [];
  for (let next = traffic.next(); next !== null; next = traffic.next()) payments.push(next);
  return payments;
}
const AMOUNT = 'amount: { kind: constant, amount: 5 }';
const timeOf = ({ atBlock, offsetMs }: Payment) => Number(atBlock) * 12_000 + offsetMs;

/** How often each node stands there. */
function countsOf(nodes: readonly number[]): number[] {
  const counts = Array.from({ length: 10 }, () => 0);
  for (const node of nodes) counts[node] = (counts[node] ?? 0) + 1;
  return counts;
}

describe('traffic', () => {
  it('of Poisson comes as often as it should, until the calm phase', () => {
    const payments = paymentsOf(`- { rate: { kind: poisson, per_second: 1 }, ${AMOUNT} }`);
    isAbout(payments.length, 800 * 12, 0.03);
    expect(Math.max(...payments.map(({ atBlock }) => Number(atBlock)))).toBe(799);
    expect(payments.every(({ offsetMs }) => offsetMs >= 0 && offsetMs < 12_000)).toBe(true);
    expect(payments.every(({ from, to }) => from !== to)).toBe(true);
    const gaps = payments
      .slice(1)
      .map((payment, n) => timeOf(payment) - timeOf(payments[n] ?? payment));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
    // The deviation of an exponential pause is its mean.
    isAbout(Math.sqrt(mean(gaps.map((gap) => (gap - 1_000) ** 2))), 1_000, 0.05);
  });

  it('that is constant has equal pauses and its own time', () => {
    const flow = `- { rate: { kind: constant, per_block: 2 }, ${AMOUNT}, from_block: 3, until_block: 6, lock_timeout: 60 }`;
    const payments = paymentsOf(flow);
    expect(payments.map(timeOf)).toEqual([36_000, 42_000, 48_000, 54_000, 60_000, 66_000]);
    expect(payments[0]).toMatchObject({ amount: 5n, lockTimeout: 60n, flow: 0, atBlock: 3n });
  });

  it('in bursts comes all at once, and again', () => {
    const rate = '{ kind: bursts, payments: 4, every_blocks: 300 }';
    const payments = paymentsOf(`- { rate: ${rate}, ${AMOUNT} }`);
    const blocks = payments.map(({ atBlock }) => Number(atBlock));
    expect(blocks).toEqual([0, 0, 0, 0, 300, 300, 300, 300, 600, 600, 600, 600]);
    expect(payments.slice(0, 4).map(({ offsetMs }) => offsetMs)).toEqual([0, 3_000, 6_000, 9_000]);
  });

  it('of several flows comes in the order of time, each flow as if it were alone', () => {
    const one = `- { name: one, rate: { kind: poisson, per_block: 1 }, ${AMOUNT} }`;
    const two = `- { name: two, rate: { kind: poisson, per_block: 3 }, ${AMOUNT} }`;
    const both = paymentsOf(`${one}\n${two}`);
    const times = both.map(timeOf);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(both.filter(({ flow }) => flow === 0)).toEqual(paymentsOf(one));
  });

  it('chooses payees as its kind says: uniform, zipf, next, hubs or gravity', () => {
    const rate = 'rate: { kind: constant, per_block: 10 }';
    const payees = (to: string, more = {}) =>
      countsOf(
        paymentsOf(
          `- { ${rate}, ${AMOUNT}, from: { kind: nodes, nodes: 9 }, to: ${to} }`,
          more,
        ).map(({ to }) => to),
      );
    const even = payees('{ kind: uniform }');
    expect(even[9]).toBe(0);
    isAbout(Math.min(...even.slice(0, 9)), 8_000 / 9, 0.12);
    const zipf = payees('{ kind: zipf, exponent: 1 }');
    isAbout((zipf[0] ?? 0) / (zipf[4] ?? 1), 5, 0.15);
    expect(payees('{ kind: next, distance: 3 }')).toEqual([0, 0, 8_000, 0, 0, 0, 0, 0, 0, 0]);
    const star = { topology: '{ kind: star, nodes: 10 }' };
    expect(payees('{ kind: hubs, count: 1 }', star)[0]).toBe(8_000);
    // The middle has half of all capacity, and the payer himself a ninth of the rest.
    isAbout(payees('{ kind: gravity }', star)[0] ?? 0, (8_000 * 9) / 17, 0.05);
  });

  it('leaves out payments whose only possible payee is the payer', () => {
    const self = 'from: { kind: nodes, nodes: 1 }, to: { kind: nodes, nodes: 1 }';
    expect(paymentsOf(`- { rate: { kind: constant, per_block: 1 }, ${AMOUNT}, ${self} }`)).toEqual(
      [],
    );
  });

  it('of half a million payments is drawn one by one, in a moment', () => {
    const flow = `- { rate: { kind: poisson, per_block: 1000 }, ${AMOUNT}, until_block: 500 }`;
    expect(paymentsOf(flow).length).toBeGreaterThan(495_000);
  });
});
