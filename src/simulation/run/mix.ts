/**
 * Small worlds in which everything may happen, one for each seed: a handful of nodes, some of them in the hands
 * of a program that does what it likes, payments, deposits and withdrawals, and faults of every kind. At the end
 * everybody leaves, so that what each node owns stands on chain. For looking for defects: a run takes a fraction
 * of a second.
 */
import { leastRevealTimeout } from '../../protocol/expiration.ts';
import { validate } from '../scenario/parse.ts';
import type { Scenario } from '../scenario/schema.ts';
import { createRandomness, type Draw } from '../world/randomness.ts';

/** As `simulate NAME` takes it. */
export const MIX = 'mix';

const TOPOLOGIES = ['line', 'line', 'line', 'ring', 'star'] as const;
const BUSY_BLOCKS = 60;
const NODE_FAULTS = ['kill', 'kill_pair', 'pause', 'restart', 'kill_at', 'kill_at', 'disk_full'];
const LINK_FAULTS = ['loss', 'repeats', 'delay', 'reorder', 'deaf', 'missing_logs', 'unreachable'];
const WORLD_FAULTS = ['broker_down', 'hostile_broker', 'reorganisation', 'full_blocks', 'no_gas'];
const POINTS = [
  ...['commit.before', 'commit.after', 'publish.before', 'publish.after', 'receive.before'],
  ...['receive.after', 'job.before', 'job.after', 'reply.before', 'transaction.signed'],
  ...['transaction.saved', 'transaction.sent', 'transaction.mined'],
];
const CHEATS = ['ghost_mediator', 'stale_close', 'withheld_unlocks', 'late_reveal', 'start_end'];

type Timeouts = { confirmations: number; reveal: number; settle: number };

/** The world of this seed. */
export function mixScenario(seed: number): Scenario {
  const parsed = validate({ value: mixTree(seed), lineOf: () => null }, MIX);
  if (!parsed.ok) throw new Error(`simulation: ${JSON.stringify(parsed.problems)}`);
  return parsed.scenario;
}

/** As a file would say it. */
export function mixTree(seed: number): unknown {
  const draw = createRandomness(seed).of('mix');
  const timeouts = drawTimeouts(draw);
  const { confirmations, reveal, settle } = timeouts;
  const nodes = draw.pick([2, 3, 3, 3, 4, 4, 5]);
  const kind = nodes < 3 ? 'line' : draw.pick(TOPOLOGIES);
  // The last locks end, then channels are settled and what is left in them is claimed.
  const calm = 2 * settle + 2 * reveal + 10 * confirmations + 20;
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
    traffic: drawTraffic(draw, nodes, timeouts),
    steps: [...drawSteps(draw, kind, nodes), leaving(draw, timeouts)],
    faults: drawFaults(draw),
    attacks: drawAttacks(draw, nodes),
    run: { blocks: BUSY_BLOCKS + calm, calm },
  };
}

function drawTimeouts(draw: Draw): Timeouts {
  const confirmations = draw.integer(1, 3);
  const reveal = Number(leastRevealTimeout(BigInt(confirmations))) + draw.pick([0, 0, 1, 4]);
  return { confirmations, reveal, settle: 2 * reveal + draw.pick([0, 0, 1, 10]) };
}

function drawTraffic(draw: Draw, nodes: number, { reveal, settle }: Timeouts): unknown[] {
  const amount = { kind: 'uniform', least: '1', most: draw.pick(['40', '300']) };
  const everybody = { rate: { kind: 'poisson', per_block: draw.integer(1, 5) / 10 }, amount };
  const ends = {
    ...{ from: { kind: 'nodes', nodes: '0' }, to: { kind: 'nodes', nodes: String(nodes - 1) } },
    ...{ rate: { kind: 'poisson', per_block: draw.integer(1, 4) / 10 }, amount },
  };
  const short = { ...ends, lock_timeout: draw.pick([reveal + 1, reveal + 2, 2 * reveal, settle]) };
  return [draw.pick([everybody, ends]), draw.pick([everybody, ends, short])];
}

/** Owners deposit, withdraw and close now and then. */
function drawSteps(draw: Draw, kind: string, nodes: number): unknown[] {
  return Array.from({ length: draw.integer(0, 5) }, () => {
    const node = draw.integer(0, nodes - 1);
    const partner = partnerOf(kind, nodes, node);
    const facts = { at_block: draw.integer(0, BUSY_BLOCKS - 5), node, partner };
    const what = draw.pick(['deposit', 'deposit', 'withdraw', 'withdraw', 'withdraw', 'close']);
    if (what === 'close') return { do: 'close', ...facts };
    return { do: what, ...facts, amount: String(draw.integer(1, 400)) };
  });
}

function partnerOf(kind: string, nodes: number, node: number): number {
  if (kind === 'star') return node === 0 ? 1 : 0;
  if (kind === 'ring') return (node + 1) % nodes;
  return node + 1 < nodes ? node + 1 : node - 1;
}

/** While payments are under way, or when all locks have ended. */
function leaving(draw: Draw, { reveal, confirmations }: Timeouts): unknown {
  const at_block = BUSY_BLOCKS + draw.pick([0, 3, 2 * reveal + 4 * confirmations + 5]);
  return { do: 'leave', nodes: 'all', at_block };
}

function drawAttacks(draw: Draw, nodes: number): unknown[] {
  const cheats = draw.happens(0.65) ? 1 + Number(draw.happens(0.2)) : 0;
  return Array.from({ length: cheats }, (_, n) => ({
    plan: n === 0 && draw.happens(0.75) ? 'random' : draw.pick(CHEATS),
    nodes: String(draw.integer(0, nodes - 1)),
    from_block: draw.pick([0, 0, 10]),
  }));
}

function drawFaults(draw: Draw): unknown[] {
  return Array.from({ length: draw.integer(0, 4) }, () => {
    const kind = draw.pick([...NODE_FAULTS, ...NODE_FAULTS, ...LINK_FAULTS, ...WORLD_FAULTS]);
    return { kind, ...whenOf(kind, draw), ...detailsOf(kind, draw) };
  });
}

function whenOf(kind: string, draw: Draw) {
  const blocks = draw.integer(1, SHORT.has(kind) ? 3 : 10);
  if (draw.happens(0.6)) return { when: { at_block: draw.integer(1, BUSY_BLOCKS - 10), blocks } };
  return { when: { rate: draw.integer(1, 4) / 100, blocks } };
}
/** What an honest node need not survive for long: nobody keeps a deadline who does not see the chain. */
const SHORT = new Set([
  ...['unreachable', 'missing_logs', 'pause', 'no_gas', 'full_blocks', 'disk_full', 'kill'],
  ...['kill_pair', 'restart', 'kill_at'],
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
