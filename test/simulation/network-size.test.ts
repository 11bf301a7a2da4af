/** What two nodes see of each other does not depend on how many others there are. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { scenarioOf } from './small-scenarios.ts';

/** Milliseconds: of the shortest period of nodes' timers, with the usual time between blocks. */
const TICK_MS = 1_000;

/**
 * How long the payments of node 0 to node 2 took, in a line of three nodes beside which there are pairs of others that do
 * nothing; shortest first. A fifth of the messages gets lost, so that most payments wait for a timer.
 */
async function latenciesAmong(nodes: number): Promise<number[]> {
  const pairs = Array.from({ length: (nodes - 3) / 2 }, (_, n) => [3 + 2 * n, 4 + 2 * n]);
  const channels = [[0, 1], [1, 2], ...pairs].map(([a, b]) => `${a},${b},100 tokens,100 tokens`);
  const latencies: number[] = [];
  const { violation } = await simulate({
    scenario: scenarioOf({
      network: {
        topology: { kind: 'import', channels: { csv: channels.join('\n') } },
        lines: [{ between: ['all', 'all'], delay_ms: 20, loss: 0.2 }],
      },
      services: { path_finding: { kind: 'shared' } },
      traffic: [
        {
          from: { kind: 'nodes', nodes: '0' },
          to: { kind: 'nodes', nodes: '2' },
          rate: { kind: 'constant', per_block: 6 },
          amount: { kind: 'constant', amount: '0.5 tokens' },
        },
      ],
      run: { blocks: 24, calm: 8 },
    }),
    seed: 1,
    onPayment({ startMs, endMs, outcome }) {
      if (outcome === 'succeeded' && endMs !== null) latencies.push(endMs - startMs);
    },
  });
  expect(violation).toBe(null);
  return latencies.sort((a, b) => a - b);
}

describe('a network of many nodes', () => {
  it('takes as long for the payments of a pair as a network of few', async () => {
    const few = await latenciesAmong(3);
    const many = await latenciesAmong(61);
    expect([few.length, many.length]).toEqual([96, 96]);
    for (const share of [0.25, 0.5, 0.75]) {
      const [ofFew = 0, ofMany = 0] = [few, many].map((all) => all[Math.floor(all.length * share)]);
      expect(Math.abs(ofMany - ofFew), `${ofMany} in place of ${ofFew}`).toBeLessThan(TICK_MS);
    }
  });
});
