/** The runs whose reports are looked at: worlds of chance, ready scenarios, tiny amounts, and results that never were. */
import type { RunResult } from '../../src/simulation/report/results/result.ts';
import { mixScenario } from '../../src/simulation/run/mix/mix.ts';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { readScenario } from '../../src/simulation/scenario/catalogue.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import { syntheticResult } from '../support/synthetic-result.ts';

/** A graph as an importer writes it: an amount of a token with eleven decimals, and fees of some thousandths of a unit. */
const TINY = `version: 1
name: tiny-fees
title: A graph from elsewhere, with tiny fees
description: What is paid is some units.
seed: 11
network:
  token: { symbol: BTC, decimals: DECIMALS }
  topology:
    kind: import
    channels:
      csv: |
        a,b,capacity_a,capacity_b
        alice,bob,90000,40000
        bob,carol,80000,80000
        carol,dave,70000,90000
        dave,erin,60000,3
defaults: { fees: { flat: '1', proportional_ppm: 4000 } }
traffic:
  - from: { kind: nodes, nodes: 0 }
    to: { kind: nodes, nodes: 3 }
    rate: { kind: poisson, per_block: 0.8 }
    amount: { kind: uniform, least: '10', most: '900' }
run: { blocks: 120, calm: 60 }
`;

async function runOf(text: string, name: string): Promise<RunResult> {
  const parsed = parseScenario(text, name);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return simulate({ scenario: parsed.scenario, seed: parsed.scenario.seed });
}

export const ready = (name: string): Promise<RunResult> => runOf(readScenario(name) ?? '', name);
export const mixed = (seed: number): Promise<RunResult> =>
  simulate({ scenario: mixScenario(seed), seed });
export async function tiny(decimals: number): Promise<RunResult> {
  const result = await runOf(TINY.replace('DECIMALS', `${decimals}`), 'tiny');
  if (result.nodes.every(({ feesEarned }) => feesEarned === 0n)) throw new Error('nobody earned');
  return result;
}

/** Results with what seldom happens: ends that nobody looked at, values far apart, losses of the smallest unit. */
export function oddResults(): Record<string, RunResult> {
  const usual = syntheticResult({ isBroken: true });
  const { histograms, series, nodes, channels } = usual;
  const odd: RunResult = {
    ...usual,
    verdict: 'failed',
    virtualMs: 59_960,
    wallMs: 999.7,
    nodes: nodes.map((node) => ({
      ...node,
      loss: node.index === 4 ? 345n : 0n,
      feesEarned: node.feesEarned === 0n ? 0n : 7n,
    })),
    channels: channels.map((channel, at) => ({
      ...channel,
      ...(at === 0 ? { flowAB: 10n ** 23n, state: 'closing' as const } : {}),
      endB: 10n ** 24n,
      endA: 3n,
    })),
    series: series.map((point, at) =>
      at > 220
        ? { ...point, pendingLocks: null, capacity: null, imbalance: null }
        : at % 7 === 3
          ? { ...point, pendingLocks: 700 }
          : point,
    ),
    payments: {
      started: 100_000,
      succeeded: 7,
      failed: {
        no_route: 99_990,
        ...Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`reason_${at}`, 0])),
      },
    },
    histograms: {
      ...histograms,
      latencyBlocks: [
        { value: 0, count: 990 },
        { value: 1, count: 9 },
        { value: 340, count: 1 },
      ],
      latencyMs: [{ value: 210, count: 1000 }],
      lockSlackBlocks: [
        { value: -3, count: 1 },
        { value: 8, count: 40_000 },
        { value: 131, count: 2 },
      ],
    },
    faultPoints: { 'disk.full': 0, 'publish.lost': 3 },
    invariants: usual.invariants.map((one, at) => (at === 3 ? { ...one, checks: 0 } : one)),
    faults: [
      ...usual.faults,
      { name: 'at the end', target: 'all', fromBlock: 1199, toBlock: 1199, hits: 0 },
    ],
    expectations: [{ text: 'fees < 1', actual: '0.00001234567', isMet: true }],
  };
  return {
    odd,
    'a thousand nodes': syntheticResult({ nodes: 1000 }),
    broken: usual,
    passed: syntheticResult({ seed: 3 }),
    stopped: { ...syntheticResult({ seed: 4, skill: 0.3 }), verdict: 'stopped' },
    live: {
      ...syntheticResult({ seed: 5, nodes: 6 }),
      trace: 'live',
      invariants: [],
      faultPoints: {},
      dangerSlackBlocks: 0,
      messagesByType: { payload: 41 },
      steps: 0,
    },
  };
}
