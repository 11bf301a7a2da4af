/**
 * Small random networks in which everything may happen, one for each seed: a few nodes, some of them dishonest;
 * payments, deposits and withdrawals; and faults of every kind. At the end all nodes close all channels, so that
 * what each node owns is visible on chain. They serve to find defects: a run takes a fraction of a second.
 */
import { FIRST_LOSS_PAUSE } from '../../chain/schedule.ts';
import { leastRevealTimeout } from '../../protocol/expiration.ts';
import { validate } from '../scenario/parse.ts';
import type { Scenario } from '../scenario/schema.ts';
import { createRandomness, type Draw } from '../world/randomness.ts';
import { drawReplica } from './mix-replica.ts';
import { drawAttacks, drawFaults, drawWorthless } from './mix-trouble.ts';

/** The name for `simulate NAME`. */
export const MIX = 'mix';

const TOPOLOGIES = ['line', 'line', 'line', 'ring', 'star'] as const;
const BUSY_BLOCKS = 36;
/** Share of the seeds that use real cryptography, or real disks: these runs take several times as long. */
const REAL_SHARE = 0.01;
const LIES = ['loops', 'foreign_channels', 'other_chain', 'dear', 'slow', 'endless'] as const;

/**
 * Facts about the drawn network; timeouts in blocks. `amount` writes an amount in thousandths of a token, or in
 * units.
 */
type Facts = {
  kind: (typeof TOPOLOGIES)[number];
  nodes: number;
  confirmations: number;
  reveal: number;
  settle: number;
  amount(number: number): string;
};

/** The scenario of this seed. */
export function mixScenario(seed: number): Scenario {
  const parsed = validate({ value: mixTree(seed), lineOf: () => null }, MIX);
  if (!parsed.ok) throw new Error(`simulation: ${JSON.stringify(parsed.problems)}`);
  return parsed.scenario;
}

/** The scenario as the plain data of a file. */
export function mixTree(seed: number): unknown {
  const tree = drawTree(seed);
  // Each of these is drawn from a sequence of its own, so that all else is as it was before there was such a thing.
  const drawOf = createRandomness(seed).of;
  const facts = { nodes: tree.count, blocks: BUSY_BLOCKS };
  const { settings, faults } = drawReplica(drawOf('mix/replica'), facts);
  const core = drawCore(drawOf('mix/core'));
  const worthless = drawWorthless(drawOf('mix/worthless'), facts);
  const { count: _, ...rest } = tree;
  return {
    ...rest,
    defaults: { ...tree.defaults, ...core },
    nodes: [...tree.nodes, ...settings],
    faults: [...tree.faults, ...faults],
    attacks: [...tree.attacks, ...worthless],
  };
}

/** In half of the worlds code takes time, on a whole core or on a part of one. */
const drawCore = (draw: Draw) => (draw.happens(0.5) ? { core: draw.pick([1, 0.25, 0.1]) } : {});

function drawTree(seed: number) {
  const draw = createRandomness(seed).of('mix');
  const decimals = draw.pick([0, 0, 18]);
  const facts = drawFacts(draw, decimals);
  const { kind, nodes, confirmations, reveal, settle, amount } = facts;
  const services = drawServices(draw);
  const drawn = {
    count: nodes,
    version: 1,
    title: 'A small world in which everything may happen',
    description: 'Drawn from its seed: nodes, payments, faults and a program that may cheat.',
    network: {
      topology: { kind, nodes },
      capacity: { kind: 'uniform', least: amount(200), most: amount(2000) },
      split: draw.pick(['even', 'random', 'opener']),
      token: { symbol: 'MIX', decimals },
    },
    chain: drawChain(draw, confirmations),
    defaults: {
      reveal_timeout: reveal,
      settle_timeout: settle,
      gas_money: '10 ether',
      fees: drawFees(draw),
    },
    nodes: draw.happens(0.2) ? [{ nodes: 'random:1', fees: drawFees(draw) }] : [],
    services,
    traffic: drawTraffic(draw, facts),
    steps: [...drawSteps(draw, facts), leaving(draw, facts)],
    faults: drawFaults(draw, { nodes, confirmations, blocks: BUSY_BLOCKS }),
    attacks: drawAttacks(draw, {
      nodes,
      blocks: BUSY_BLOCKS,
      isMonitored: services.monitoring.count > 0,
    }),
  };
  // Time for the last locks to end, then for channels to be settled and their locks to be unlocked; a settlement that a
  // hostile token made fail is tried again only after a pause.
  const isHostile = drawn.faults.some((fault) => Object(fault).kind === 'hostile_token');
  const pause = isHostile ? Number(FIRST_LOSS_PAUSE) : 0;
  const calm = settle + 2 * reveal + 10 * confirmations + 30 + pause;
  const run = { blocks: BUSY_BLOCKS + calm, calm, disk: REAL_SHARE, crypto: REAL_SHARE };
  return { ...drawn, run };
}

function drawFacts(draw: Draw, decimals: number): Facts {
  const confirmations = draw.pick([1, 1, 2, 2, 3]);
  const reveal = Number(leastRevealTimeout(BigInt(confirmations))) + draw.pick([0, 0, 1, 4]);
  const settle = 2 * reveal + draw.pick([0, 0, 1, 10]);
  const nodes = draw.pick([2, 2, 3, 3, 3, 3, 4, 4, 5]);
  const kind = nodes < 3 ? 'line' : draw.pick(TOPOLOGIES);
  const amount = (number: number) => (decimals === 0 ? String(number) : `${number / 1000} tokens`);
  return { kind, nodes, confirmations, reveal, settle, amount };
}

function drawFees(draw: Draw): unknown {
  return draw.pick([
    { flat: '1', proportional_ppm: 0, imbalance_ppm: 0 },
    { flat: '0', proportional_ppm: draw.pick([1_000, 20_000]), imbalance_ppm: 0 },
    { imbalance_ppm: draw.pick([1_000, 50_000]), cap: draw.happens(0.5) },
    {},
    {},
  ]);
}

function drawChain(draw: Draw, confirmations: number): unknown {
  const weather = (fields: Record<string, number>) => [
    { at_block: draw.integer(0, BUSY_BLOCKS - 5), blocks: draw.integer(1, 3), ...fields },
  ];
  const transactions = draw.pick(['again', 'later', 'never']);
  const depth = { least: 1, most: confirmations };
  return {
    block_time: draw.pick([12, 12, 12, 3]),
    confirmations,
    jitter: draw.pick([0, 0, 0, 0.5]),
    ...(draw.happens(0.1) ? { reorganisations: { rate: 0.05, depth, transactions } } : {}),
    ...(draw.happens(0.1) ? { congestion: weather({ share: draw.integer(5, 9) / 10 }) } : {}),
    ...(draw.happens(0.1) ? { price_spikes: weather({ factor: draw.integer(2, 50) }) } : {}),
  };
}

type Services = { path_finding: unknown; monitoring: { count: number; lazy: number } };

function drawServices(draw: Draw): Services {
  const paths = draw.happens(0.8) ? 'local' : draw.pick(['services', 'services', 'none']);
  const lies = draw.happens(0.5) ? { lies: draw.pick(LIES) } : {};
  const asked =
    paths === 'services' ? { kind: paths, count: draw.integer(1, 2), ...lies } : { kind: paths };
  const count = draw.happens(0.15) ? draw.integer(1, 2) : 0;
  return { path_finding: asked, monitoring: { count, lazy: draw.integer(0, Math.min(count, 1)) } };
}

function drawTraffic(draw: Draw, { nodes, reveal, settle, amount: written }: Facts): unknown[] {
  const amount = { kind: 'uniform', least: written(1), most: written(draw.pick([40, 300])) };
  const everybody = { rate: { kind: 'poisson', per_block: draw.integer(1, 5) / 10 }, amount };
  const ends = {
    from: { kind: 'nodes', nodes: '0' },
    to: { kind: 'nodes', nodes: String(nodes - 1) },
    rate: { kind: 'poisson', per_block: draw.integer(1, 4) / 10 },
    amount,
  };
  const short = { ...ends, lock_timeout: draw.pick([reveal + 1, reveal + 2, 2 * reveal, settle]) };
  return [draw.pick([everybody, ends]), draw.pick([everybody, ends, short])];
}

/** Owners deposit, withdraw, pay and close now and then. */
function drawSteps(draw: Draw, facts: Facts): unknown[] {
  const { kind, nodes, amount: written } = facts;
  return Array.from({ length: draw.integer(0, 5) }, () => {
    const node = draw.integer(0, nodes - 1);
    const partner = partnerOf(kind, nodes, node);
    const at = { at_block: draw.integer(0, BUSY_BLOCKS - 5), node };
    const amount = written(draw.integer(1, 400));
    const what = draw.pick([
      'deposit',
      'deposit',
      'withdraw',
      'withdraw',
      'withdraw',
      'close',
      'pay',
      'open_channel',
    ]);
    if (what === 'close') return { do: 'close', ...at, partner };
    if (what === 'pay') return { do: 'pay', ...at, ...drawOrder(draw, facts, node), amount };
    if (what === 'open_channel') {
      const other = otherThan(draw, nodes, node);
      const partner_deposit = draw.happens(0.5) ? amount : '0';
      return { do: what, ...at, partner: other, deposit: amount, partner_deposit };
    }
    return { do: what, ...at, partner, amount };
  });
}

/** A payment's secret and identifier are small numbers, so that two payments sometimes have the same. */
function drawOrder(draw: Draw, { nodes, reveal, settle }: Facts, node: number) {
  return {
    to: otherThan(draw, nodes, node),
    ...(draw.happens(0.5) ? { secret: draw.integer(0, 2) } : {}),
    ...(draw.happens(0.5) ? { identifier: draw.integer(1, 2) } : {}),
    ...(draw.happens(0.3) ? { lock_timeout: draw.pick([reveal + 1, settle, settle + 1]) } : {}),
  };
}

function otherThan(draw: Draw, nodes: number, node: number): number {
  return (node + draw.integer(1, nodes - 1)) % nodes;
}

function partnerOf(kind: string, nodes: number, node: number): number {
  if (kind === 'star') return node === 0 ? 1 : 0;
  if (kind === 'ring') return (node + 1) % nodes;
  return node + 1 < nodes ? node + 1 : node - 1;
}

/** The step in which all nodes leave: while payments are under way, or after all locks have ended. */
function leaving(draw: Draw, { reveal, confirmations }: Facts): unknown {
  const at_block = BUSY_BLOCKS + draw.pick([0, 3, 2 * reveal + 4 * confirmations + 5]);
  return { do: 'leave', nodes: 'all', at_block };
}
