/** Networks of scenarios: their shapes, deposits and settings. */
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../src/simulation/scenario/parse.ts';
import type { Scenario } from '../../src/simulation/scenario/schema/schema.ts';
import { buildNetwork, type NetworkPlan } from '../../src/simulation/scenario/topology.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';

const TOKEN = 10n ** 18n;

function scenarioOf(topology: string, more = ''): Scenario {
  const text = `version: 1\ntitle: T\ndescription: D\nnetwork:\n  topology: ${topology}\n${more}`;
  const parsed = parseScenario(text, 'test');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

function networkOf(topology: string, more = '', seed = 1): NetworkPlan {
  return buildNetwork(scenarioOf(topology, more), createRandomness(seed));
}

/** How many nodes can be reached from node 0. */
function reachable({ nodes, channels }: NetworkPlan): number {
  const partners = nodes.map((): number[] => []);
  for (const { a, b } of channels) {
    partners[a]?.push(b);
    partners[b]?.push(a);
  }
  const seen = new Set([0]);
  for (const node of seen) for (const other of partners[node] ?? []) seen.add(other);
  return seen.size;
}

const pairsOf = ({ channels }: NetworkPlan) => channels.map(({ a, b }) => [a, b].toSorted().join());
const degreesOf = ({ nodes }: NetworkPlan) => nodes.map(({ degree }) => degree);

describe('a network', () => {
  it.each<[string, number, number]>([
    ['{ kind: line, nodes: 1 }', 1, 0],
    ['{ kind: line, nodes: 7 }', 7, 6],
    ['{ kind: ring, nodes: 9 }', 9, 9],
    ['{ kind: star, nodes: 8 }', 8, 7],
    ['{ kind: grid, rows: 4, columns: 5 }', 20, 31],
    ['{ kind: grid, rows: 1, columns: 5 }', 5, 4],
    ['{ kind: complete, nodes: 6 }', 6, 15],
    ['{ kind: scale_free, nodes: 300, links: 3 }', 300, 6 + 3 * 296],
    ['{ kind: scale_free, nodes: 4, links: 3 }', 4, 6],
    ['{ kind: small_world, nodes: 200, neighbours: 6, rewired: 0.3 }', 200, 600],
    ['{ kind: small_world, nodes: 6, neighbours: 4, rewired: 1 }', 6, 12],
    ['{ kind: small_world, nodes: 5, neighbours: 4, rewired: 1 }', 5, 10],
  ])(
    'is connected, with at most one channel for each pair of nodes: %s',
    (topology, nodes, channels) => {
      for (const seed of [1, 2, 3]) {
        const network = networkOf(topology, '', seed);
        expect(network.nodes.map(({ index }) => index)).toEqual([...Array(nodes).keys()]);
        expect(network.channels).toHaveLength(channels);
        expect(new Set(pairsOf(network)).size).toBe(channels);
        expect(network.channels.every(({ a, b }) => a !== b)).toBe(true);
        expect(reachable(network)).toBe(nodes);
        const ends = degreesOf(network).reduce((sum, degree) => sum + degree, 0);
        expect(ends).toBe(2 * channels);
      }
    },
  );

  it('has no channels at first when it is empty', () => {
    expect(networkOf('{ kind: empty, nodes: 4 }')).toMatchObject({ channels: [] });
  });

  it('has few nodes with many channels when it is scale-free, and is even in a grid', () => {
    const free = degreesOf(networkOf('{ kind: scale_free, nodes: 1000, links: 2 }'));
    const sorted = free.toSorted((a, b) => a - b);
    expect(sorted[500]).toBeLessThanOrEqual(3);
    expect(sorted[0]).toBe(2);
    // A random network of as many channels would hardly have a node with more than 15.
    expect(sorted.at(-1)).toBeGreaterThan(40);
    const hubs = sorted.slice(-100).reduce((sum, degree) => sum + degree, 0);
    expect(hubs / sorted.reduce((sum, degree) => sum + degree, 0)).toBeGreaterThan(0.3);
    const grid = degreesOf(networkOf('{ kind: grid, rows: 9, columns: 9 }'));
    expect([Math.min(...grid), Math.max(...grid)]).toEqual([2, 4]);
  });

  it('has about as many long links as a small world should', () => {
    const { channels } = networkOf(
      '{ kind: small_world, nodes: 1000, neighbours: 6, rewired: 0.2 }',
    );
    const far = channels.filter(({ a, b }) => {
      const distance = Math.abs(a - b);
      return Math.min(distance, 1000 - distance) > 3;
    });
    // Of 2,000 channels beyond the next neighbour.
    expect(far.length).toBeGreaterThan(340);
    expect(far.length).toBeLessThan(460);
  });

  it('is the same for the same seed alone', () => {
    const topology = '{ kind: scale_free, nodes: 60, links: 2 }\n  split: random';
    const drawn = (seed: number) => {
      const { nodes, channels } = networkOf(topology, '', seed);
      return { nodes, channels };
    };
    expect(drawn(5)).toEqual(drawn(5));
    expect(drawn(5)).not.toEqual(drawn(6));
  });

  it.each<[string, (a: bigint, b: bigint) => boolean]>([
    ['even', (a, b) => a === 10n * TOKEN && b === 10n * TOKEN],
    ['opener', (a, b) => a === 20n * TOKEN && b === 0n],
    ['0.7', (a, b) => a === 14n * TOKEN && b === 6n * TOKEN],
    ['random', (a, b) => a >= 0n && b >= 0n && a + b === 20n * TOKEN],
  ])('splits what lies in a channel: %s', (split, isSplit) => {
    const capacity = '\n  capacity: { kind: constant, amount: 10 tokens }';
    const { channels } = networkOf(`{ kind: ring, nodes: 50 }${capacity}\n  split: ${split}`);
    expect(channels.every(({ depositA, depositB }) => isSplit(depositA, depositB))).toBe(true);
    const sides = new Set(channels.map(({ depositA }) => depositA));
    expect(sides.size > 1).toBe(split === 'random');
  });
});

describe('a node', () => {
  const MORE = `
defaults: { fees: { proportional_ppm: 100 }, settle_timeout: 300 }
nodes:
  - { nodes: "hubs:1", role: hub, fees: { flat: 3 }, settle_timeout: 200 }
  - { nodes: "1..2", fees: { proportional_ppm: 7 }, behaviour: dust }
  - { nodes: "random:2, 8", role: quiet, behaviour: silent }
  - { nodes: "0..7", behaviour: honest }
  - { nodes: "1..2", behaviour: dust }
  - { nodes: "hubs:1", role: hub }
attacks:
  - { plan: stale_close, nodes: 5, victims: "hub, 3", from_block: 20 }
`;
  const { nodes, channels } = networkOf('{ kind: star, nodes: 9 }', MORE);

  it('takes its settings from the last that names it, and else from the defaults', () => {
    const [hub, one] = nodes;
    const others = { imbalance: 3_000n, capFees: true };
    expect(hub).toMatchObject({ role: 'hub', degree: 8, settleTimeout: 200n, revealTimeout: 50n });
    expect(hub?.fees).toEqual({ flat: 3n, proportional: 100n, ...others });
    expect(one?.fees).toEqual({ flat: 0n, proportional: 7n, ...others });
    expect(channels[0]).toMatchObject({ a: 1, b: 0, settleTimeout: 300n });
    expect(hub?.capacity).toBe(800n * TOKEN);
  });

  it('is honest unless it is told otherwise', () => {
    const quiet = nodes.filter(({ role }) => role === 'quiet');
    expect(quiet.length).toBeGreaterThanOrEqual(2);
    const dishonest = nodes.filter(({ isHonest }) => !isHonest).map(({ index }) => index);
    expect(dishonest).toEqual([...new Set([1, 2, 5, 8])].toSorted((a, b) => a - b));
    const close = { plan: 'stale_close', group: 'stale_close', moves: [] };
    expect(nodes[5]?.attacks).toEqual([{ ...close, fromBlock: 20n, victims: [0, 3] }]);
    expect(nodes[1]?.attacks[0]).toMatchObject({ plan: 'dust', fromBlock: 0n });
    expect(nodes[1]?.attacks[0]?.victims).not.toContain(1);
  });
});
