import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/run/simulate.ts';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';

function run(nodes: number, more = '') {
  const parsed = parseScenario(
    `
version: 1
title: A network on one copy
description: All nodes search on the same copy of the network.
network: { topology: { kind: scale_free, nodes: ${nodes}, links: 2 } }
services: { path_finding: { kind: shared } }
defaults: { reveal_timeout: 20, settle_timeout: 60, fees: { proportional_ppm: 1000 } }
traffic:
  - rate: { kind: constant, per_block: 4 }
    amount: { kind: constant, amount: 1 token }
run: { blocks: 14, calm: 10 }
${more}`,
    'test',
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return simulate({ scenario: parsed.scenario, seed: 1 });
}

describe('a network of which there is one copy', () => {
  it('finds routes over mediators, which get their fees', async () => {
    const { verdict, payments, nodes } = await run(12);
    expect({ verdict, ...payments }).toMatchObject({ verdict: 'passed', failed: {} });
    expect(payments.succeeded).toBeGreaterThan(10);
    expect(nodes.some(({ feesEarned }) => feesEarned > 0n)).toBe(true);
  });

  it('does the same again for the same seed', async () => {
    expect((await run(8)).trace).toBe((await run(8)).trace);
  });

  it('finds a way around a node that has died', async () => {
    const killed = 'faults: [{ kind: kill, nodes: "hubs:1", when: { at_block: 1, blocks: 4 } }]';
    const { verdict, payments } = await run(12, killed);
    expect(verdict).toBe('passed');
    expect(payments.succeeded).toBeGreaterThan(0);
  });
});
