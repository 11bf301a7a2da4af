/**
 * Small worlds in which everything may happen, one for each seed: a handful of nodes, some of them in the hands
 * of a program that does what it likes, some payments, and faults of every kind. For looking for defects: a run
 * takes a fraction of a second.
 */
import { leastRevealTimeout } from '../../protocol/expiration.ts';
import { validate } from '../scenario/parse.ts';
import type { Scenario } from '../scenario/schema.ts';
import { createRandomness, type Draw } from '../world/randomness.ts';

/** As `simulate NAME` takes it. */
export const MIX = 'mix';

const TOPOLOGIES = ['line', 'line', 'ring', 'star'] as const;
const BUSY_BLOCKS = 70;
const NODE_FAULTS = ['kill', 'kill_pair', 'pause', 'restart', 'kill_at', 'disk_full'];
const LINK_FAULTS = ['loss', 'repeats', 'delay', 'reorder', 'deaf', 'missing_logs', 'unreachable'];
const WORLD_FAULTS = ['broker_down', 'hostile_broker', 'reorganisation', 'full_blocks', 'no_gas'];
const POINTS = [
  ...['commit.before', 'commit.after', 'publish.before', 'publish.after', 'receive.before'],
  ...['receive.after', 'job.before', 'job.after', 'reply.before', 'transaction.signed'],
  ...['transaction.saved', 'transaction.sent', 'transaction.mined'],
];

/** The world of this seed. */
export function mixScenario(seed: number): Scenario {
  const draw = createRandomness(seed).of('mix');
  const value = drawTree(draw);
  const parsed = validate({ value, lineOf: () => null }, MIX);
  if (!parsed.ok) throw new Error(`simulation: ${JSON.stringify(parsed.problems)}`);
  return parsed.scenario;
}

function drawTree(draw: Draw): unknown {
  const confirmations = draw.integer(1, 3);
  const nodes = draw.integer(2, 5);
  const reveal = Number(leastRevealTimeout(BigInt(confirmations))) + draw.integer(0, 4);
  const settle = 2 * reveal + draw.integer(0, 10);
  const calm = settle + 2 * reveal + 6 * confirmations + 20;
  const kind = nodes < 3 ? 'line' : draw.pick(TOPOLOGIES);
  const cheats = draw.happens(0.5) ? 1 + Number(draw.happens(0.3)) : 0;
  return {
    version: 1,
    title: 'A small world in which everything may happen',
    description: 'Drawn from its seed: nodes, payments, faults and a program that may cheat.',
    network: {
      topology: { kind, nodes },
      capacity: { kind: 'uniform', least: '200', most: '2000' },
      split: draw.pick(['even', 'random', 'opener']),
      token: { symbol: 'MIX', decimals: 0 },
    },
    chain: { block_time: 12, confirmations },
    defaults: {
      ...{ reveal_timeout: reveal, settle_timeout: settle, gas_money: '10 ether' },
      fees: draw.pick([{ flat: '1', proportional_ppm: 0, imbalance_ppm: 0 }, {}]),
    },
    traffic: [
      {
        rate: { kind: 'poisson', per_block: draw.integer(1, 6) / 10 },
        amount: { kind: 'uniform', least: '1', most: '300' },
      },
    ],
    faults: drawFaults(draw),
    attacks: Array.from({ length: cheats }, (_, n) => ({
      plan: n === 0 && draw.happens(0.7) ? 'random' : draw.pick(NAMED),
      nodes: String(draw.integer(0, nodes - 1)),
      from_block: draw.integer(0, 20),
    })),
    run: { blocks: BUSY_BLOCKS + calm, calm },
  };
}

const NAMED = ['ghost_mediator', 'stale_close', 'withheld_unlocks', 'late_reveal', 'start_end'];

function drawFaults(draw: Draw): unknown[] {
  return Array.from({ length: draw.integer(0, 5) }, () => {
    const kind = draw.pick([...NODE_FAULTS, ...NODE_FAULTS, ...LINK_FAULTS, ...WORLD_FAULTS]);
    return { kind, ...whenOf(kind, draw), ...detailsOf(kind, draw) };
  });
}

function whenOf(kind: string, draw: Draw) {
  const blocks = draw.integer(1, SHORT.has(kind) ? 4 : 10);
  if (draw.happens(0.6)) return { when: { at_block: draw.integer(1, BUSY_BLOCKS - 10), blocks } };
  return { when: { rate: draw.integer(1, 4) / 100, blocks } };
}
/** What an honest node need not survive for long: nobody keeps a deadline who does not see the chain. */
const SHORT = new Set([
  'unreachable',
  'missing_logs',
  'pause',
  'no_gas',
  'full_blocks',
  'disk_full',
]);

function detailsOf(kind: string, draw: Draw) {
  switch (kind) {
    case 'kill_at':
      return { point: draw.pick(POINTS), nth: draw.integer(1, 6) };
    case 'loss':
    case 'repeats':
      return { share: draw.integer(1, 9) / 10 };
    case 'delay':
      return { least_ms: 0, most_ms: draw.integer(100, 60_000) };
    case 'reorder':
      return { window: 10 };
    case 'reorganisation':
      return { depth: 1 };
    case 'full_blocks':
      return { share: draw.integer(5, 9) / 10 };
    default:
      return {};
  }
}
