/**
 * Small random networks in which everything may happen, one for each seed: a few nodes, some of them dishonest;
 * payments, deposits and withdrawals; and faults of every kind. At the end all nodes close all channels, so that
 * what each node owns is visible on chain. They serve to find defects: a run takes a fraction of a second.
 */
import { FIRST_LOSS_PAUSE } from '../../../chain/queue/schedule.ts';
import { leastRevealTimeout } from '../../../protocol/channel/expiration.ts';
import { validate } from '../../scenario/parse.ts';
import type { Scenario } from '../../scenario/schema/schema.ts';
import { createRandomness, type Draw } from '../../world/randomness.ts';
import { drawBounds } from './bounds.ts';
import { drawOccasion } from './occasions.ts';
import { drawBudget, drawHistory, drawOwners, drawRush, drawSellers } from './owners.ts';
import { drawReplica } from './replica.ts';
import { withSchemers } from './schemers.ts';
import { drawEnd, drawSteps, drawTraffic, type Facts } from './traffic.ts';
import { drawAttacks, drawFaults, drawWorthless } from './trouble.ts';

/** The name for `simulate NAME`. */
export const MIX = 'mix';

/** Share of the worlds in which much fails, for want of money in the right place. */
const POOR_SHARE = 0.08;
const BUSY_BLOCKS = 36;
/** Share of the seeds that use real cryptography, or real disks: these runs take several times as long. */
const REAL_SHARE = 0.01;
/** Of single units a mediator's fee is mostly rounded to nothing, and of thousands what balance costs. */
const UNITS = [1, 1_000, 1e12, 1e12];
const LIES = ['loops', 'foreign_channels', 'other_chain', 'dear', 'slow', 'endless'] as const;

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
  const { facts: drawn, ...rest } = tree;
  const { nodes, confirmations, amount, far } = drawn;
  const facts = { nodes, blocks: BUSY_BLOCKS };
  const { settings, faults } = drawReplica(drawOf('mix/replica'), {
    ...facts,
    reveal: drawn.reveal,
    blockSeconds: tree.chain.block_time,
  });
  const core = drawCore(drawOf('mix/core'));
  const worthless = drawWorthless(drawOf('mix/worthless'), facts);
  const length = tree.run.blocks;
  const owners = drawOwners(drawOf('mix/owners'), { ...facts, length, confirmations }, amount);
  const {
    steps = [],
    faults: met = [],
    attacks = [],
  } = drawOccasion(drawOf('mix/occasions'), drawn);
  const place = { far, blocks: BUSY_BLOCKS, blockSeconds: tree.chain.block_time };
  const rush = drawRush(drawOf('mix/rush'), place, amount);
  const all = {
    ...rest,
    defaults: {
      ...tree.defaults,
      ...core,
      ...drawHistory(drawOf('mix/history')),
      ...drawBounds(drawOf('mix/bounds')),
    },
    nodes: [...tree.nodes, ...settings, ...drawSellers(drawOf('mix/sellers'), nodes)],
    traffic: tree.traffic.map((flow, place) => ({
      ...flow,
      ...drawBudget(drawOf(`mix/budget ${place}`), amount),
    })),
    steps: [...tree.steps, ...owners, ...rush.steps, ...steps],
    faults: [...tree.faults, ...faults, ...rush.faults, ...met],
    attacks: [...tree.attacks, ...worthless, ...attacks],
  };
  return withSchemers(drawOf('mix/schemers'), drawn, all);
}

/** In half of the worlds code takes time, on a whole core or on a part of one. */
const drawCore = (draw: Draw) => (draw.happens(0.5) ? { core: draw.pick([1, 0.25, 0.1]) } : {});

function drawTree(seed: number) {
  const { of: drawOf } = createRandomness(seed);
  const draw = drawOf('mix');
  const decimals = draw.pick([0, 0, 18]);
  const facts = drawFacts(draw, { decimals, unit: drawOf('mix/unit').pick(UNITS) });
  const { kind, nodes, confirmations, reveal, settle, isPoor, amount } = facts;
  const services = drawServices(draw, facts);
  const drawn = {
    facts,
    version: 1,
    title: 'A small world in which everything may happen',
    description: 'Drawn from its seed: nodes, payments, faults and a program that may cheat.',
    network: {
      topology: { kind, nodes },
      capacity: { kind: 'uniform', least: amount(isPoor ? 200 : 800), most: amount(2000) },
      split: isPoor ? draw.pick(['random', kind === 'line' ? 'opener' : 'random']) : 'even',
      token: { symbol: 'MIX', decimals },
    },
    chain: drawChain(draw, confirmations),
    defaults: {
      reveal_timeout: reveal,
      settle_timeout: settle,
      gas_money: '10 ether',
      fees: drawFees(draw, facts),
    },
    nodes: draw.happens(0.2) ? [{ nodes: 'random:1', fees: drawFees(draw, facts) }] : [],
    services,
    traffic: drawTraffic(draw, facts),
    steps: [...drawSteps(draw, facts), ...drawEnd(draw, facts)],
    faults: drawFaults(draw, { nodes, confirmations, blocks: BUSY_BLOCKS }),
    attacks: drawAttacks(draw, { ...facts, isMonitored: services.monitoring.count > 0 }),
  };
  // Time for the last locks to end, then for channels to be settled and their locks to be unlocked; a settlement that a
  // hostile token made fail is tried again only after a pause.
  const isHostile = drawn.faults.some((fault) => Object(fault).kind === 'hostile_token');
  const pause = isHostile ? Number(FIRST_LOSS_PAUSE) : 0;
  const calm = settle + 2 * reveal + 10 * confirmations + 30 + pause;
  const run = { blocks: BUSY_BLOCKS + calm, calm, disk: REAL_SHARE, crypto: REAL_SHARE };
  return { ...drawn, run };
}

type Units = { decimals: number; unit: number };

function drawFacts(draw: Draw, { decimals, unit }: Units): Facts {
  const confirmations = draw.pick([1, 1, 2, 2, 3]);
  const reveal = Number(leastRevealTimeout(BigInt(confirmations))) + draw.pick([0, 0, 1, 4]);
  const settle = 2 * reveal + draw.pick([0, 0, 1, 10]);
  const cheats = draw.pick([0, 1, 1, 1, 2]);
  const nodes = draw.pick(cheats === 0 ? [3, 3, 4, 5] : [4, 4, 4, 5]);
  // In a ring of three, everybody is everybody's partner.
  const kind = draw.pick(nodes < 4 ? NARROW : WIDE);
  const amount = (number: number) =>
    decimals === 0 ? String(number * unit) : `${number / 1000} tokens`;
  const shape = { kind, nodes, cheats, far: farOf(kind, nodes, cheats), blocks: BUSY_BLOCKS };
  return { ...shape, confirmations, reveal, settle, isPoor: draw.happens(POOR_SHARE), amount };
}

const NARROW = ['line', 'line', 'star'] as const;
const WIDE = ['line', 'line', 'ring', 'star'] as const;

/** Cheats are mostly the last node: where there is room, the two ends are others. */
function farOf(kind: Facts['kind'], nodes: number, cheats: number): Facts['far'] {
  if (kind === 'ring') return [0, 2];
  const last = cheats > 0 && nodes > 3 ? nodes - 2 : nodes - 1;
  return [kind === 'star' ? 1 : 0, last];
}

/** Payments are small beside channels: where balance is dear, most of them would be above what payers pay. */
function drawFees(draw: Draw, { isPoor }: Facts): unknown {
  const imbalance_ppm = draw.pick([100, 1_000, isPoor ? 50_000 : 2_000]);
  return draw.pick([
    { flat: '1', proportional_ppm: 0, imbalance_ppm: 0 },
    { flat: '0', proportional_ppm: draw.pick([1_000, 20_000]), imbalance_ppm: 0 },
    { imbalance_ppm, cap: draw.happens(0.5) },
    {},
    {},
  ]);
}

function drawChain(draw: Draw, confirmations: number) {
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

function drawServices(draw: Draw, { isPoor }: Facts): Services {
  const paths = draw.pick(['local', 'local', isPoor ? 'services' : 'local', 'services']);
  const lies = isPoor && draw.happens(0.8) ? { lies: draw.pick(LIES) } : {};
  const asked =
    paths === 'services' ? { kind: paths, count: draw.integer(1, 2), ...lies } : { kind: paths };
  const count = draw.happens(0.25) ? draw.integer(1, 2) : 0;
  return { path_finding: asked, monitoring: { count, lazy: draw.integer(0, Math.min(count, 1)) } };
}
