/** Builds the network of a scenario: every node with its settings, every channel with its deposits. */
import type { Bounds } from '../../node/runtime/knowledge/bounds.ts';
import { leastRevealTimeout } from '../../protocol/channel/expiration.ts';
import type { FeeTerms } from '../../protocol/fees/fee-terms.ts';
import type { Line } from '../network/lines.ts';
import type { Draw, Randomness } from '../world/randomness.ts';
import { nodeCount } from './checks.ts';
import { createAmounts } from './distributions.ts';
import { applyImportedTerms } from './importing/imported-terms.ts';
import type { Move } from './schema/moves.ts';
import type { Plan } from './schema/plans.ts';
import { type Behaviour, type Scenario, type Settings, USUAL } from './schema/schema.ts';
import { select } from './schema/selection.ts';
import { linksOf } from './shapes.ts';

export type NodePlan = {
  index: number;
  name: string;
  /** The role that the scenario's `nodes` gives it; "node" if none. */
  role: string;
  /** Number of its channels at the beginning. */
  degree: number;
  /** The sum of its deposits at the beginning, in the smallest unit. */
  capacity: bigint;
  fees: FeeTerms;
  revealTimeout: bigint;
  settleTimeout: bigint;
  /** In wei. */
  gasMoney: bigint;
  /** Attacks are also listed in `attacks`. */
  behaviour: Behaviour;
  /** The share of a core that runs it; null: its code takes no time. */
  core: number | null;
  /** A second machine follows its database, and takes over after so much silence (null: when told); null: none does. */
  standby: { takeoverAfterMs: number | null } | null;
  /** Null: it keeps all of its history. */
  keepHistoryMs: number | null;
  /** Bounds that are not the usual ones. */
  bounds: Partial<Bounds>;
  /** Blocks for which what it sells is offered; null: it sells nothing. */
  sells: bigint | null;
  attacks: AttackPlan[];
  /** Whether it follows the protocol from the beginning to the end: if it loses money, that is a bug. */
  isHonest: boolean;
};
/** An attack of a node. Nodes of one `group` work together. */
export type AttackPlan = {
  group: string;
  plan: Plan;
  fromBlock: bigint;
  victims: number[];
  moves: readonly Move[];
};

/** Deposits in the smallest unit. `a` opens the channel. */
export type ChannelPlan = {
  a: number;
  b: number;
  depositA: bigint;
  depositB: bigint;
  settleTimeout: bigint;
};
export type NetworkPlan = {
  nodes: NodePlan[];
  channels: ChannelPlan[];
  /** The line between two nodes, by their indexes; null: it is like all others. */
  lineOf(a: number, b: number): Line | null;
};

export function buildNetwork(scenario: Scenario, randomness: Randomness): NetworkPlan {
  const channels = channelsOf(scenario, randomness);
  const nodes = nodesOf(scenario, channels);
  for (const [n, settings] of scenario.nodes.entries()) {
    const chosen = select(settings.nodes, nodes, randomness.of(`network/nodes ${n}`));
    for (const node of chosen) apply(settings, node, settings.role);
  }
  planAttacks(scenario, nodes, randomness);
  // A cheat has as many machines as it needs.
  for (const node of nodes) if (!node.isHonest) node.core = null;
  const settled = channels.map((channel) => ({
    ...channel,
    settleTimeout: nodes[channel.a]?.settleTimeout ?? USUAL.settleTimeout,
  }));
  return { nodes, channels: settled, lineOf: linesOf(scenario, nodes, randomness) };
}

function linesOf({ network }: Scenario, nodes: NodePlan[], randomness: Randomness) {
  const lines = network.lines.map(({ between, ...line }, n) => {
    const draw = randomness.of(`network/line ${n}`);
    const [one, other] = between.map((end) => new Set(indexesOf(select(end, nodes, draw))));
    return { one, other, line };
  });
  return (a: number, b: number): Line | null =>
    lines.findLast(
      ({ one, other }) => (one?.has(a) && other?.has(b)) || (one?.has(b) && other?.has(a)),
    )?.line ?? null;
}

const indexesOf = (nodes: readonly NodePlan[]) => nodes.map(({ index }) => index);

type Funded = Omit<ChannelPlan, 'settleTimeout'>;

function channelsOf({ network }: Scenario, randomness: Randomness): Funded[] {
  const { topology, capacity, split } = network;
  const sides = randomness.of('network/split');
  const shared = (total: bigint) => {
    const depositA = firstSide(total, split.firstPpm, sides);
    return { depositA, depositB: total - depositA };
  };
  if (topology.kind === 'import')
    return topology.channels.channels.map(({ a, b, capacity: held }) => {
      if ('total' in held) return { a, b, ...shared(held.total) };
      return { a, b, depositA: held.a, depositB: held.b };
    });
  const perSide = createAmounts(capacity, randomness.of('network/capacity'));
  return linksOf(topology, randomness.of('network/topology')).map(([a, b]) => {
    return { a, b, ...shared(2n * perSide()) };
  });
}

function firstSide(total: bigint, firstPpm: bigint | null, draw: Draw): bigint {
  return firstPpm === null ? draw.bigint(0n, total) : (total * firstPpm) / 1_000_000n;
}

function nodesOf(scenario: Scenario, channels: readonly Funded[]): NodePlan[] {
  const { topology } = scenario.network;
  const names = topology.kind === 'import' ? topology.channels.names : [];
  const nodes = Array.from({ length: nodeCount(scenario) }, (_, index): NodePlan => {
    const name = names[index] ?? `node-${index}`;
    const node = { index, name, role: 'node', degree: 0, capacity: 0n, ...USUAL };
    const none = { standby: null, keepHistoryMs: null, sells: null, core: null, attacks: [] };
    const usual = { fees: { ...USUAL.fees }, bounds: {} };
    return { ...node, ...none, ...usual, isHonest: true };
  });
  for (const node of nodes) apply(scenario.defaults, node, null);
  if (topology.kind === 'import') {
    const leastReveal = leastRevealTimeout(scenario.chain.confirmations);
    applyImportedTerms(nodes, topology.channels.channels, leastReveal);
  }
  for (const { a, b, depositA, depositB } of channels) {
    count(nodes[a], depositA);
    count(nodes[b], depositB);
  }
  return nodes;
}

function count(node: NodePlan | undefined, deposit: bigint): void {
  if (node === undefined) throw new Error('simulation: a channel belongs to no node');
  node.degree += 1;
  node.capacity += deposit;
}

/** Applies the settings; fields that they leave open keep their values. */
function apply(settings: Settings, node: NodePlan, role: string | null): void {
  const { fees } = settings;
  node.role = role ?? node.role;
  node.revealTimeout = settings.revealTimeout ?? node.revealTimeout;
  node.settleTimeout = settings.settleTimeout ?? node.settleTimeout;
  node.gasMoney = settings.gasMoney ?? node.gasMoney;
  node.behaviour = settings.behaviour ?? node.behaviour;
  node.standby = standbyOf(settings) ?? node.standby;
  node.core = settings.core ?? node.core;
  node.sells = settings.sells ?? node.sells;
  node.bounds = { ...node.bounds, ...settings.bounds };
  if (settings.keepHistory !== null) node.keepHistoryMs = settings.keepHistory * 1_000;
  node.fees = {
    flat: fees.flat ?? node.fees.flat,
    proportional: fees.proportionalPpm ?? node.fees.proportional,
    imbalance: fees.imbalancePpm ?? node.fees.imbalance,
    capFees: fees.cap ?? node.fees.capFees,
  };
}

function standbyOf({ standby }: Settings): NodePlan['standby'] {
  if (standby === null) return null;
  const { takeoverAfter } = standby;
  return { takeoverAfterMs: takeoverAfter === null ? null : takeoverAfter * 1_000 };
}

function planAttacks({ attacks }: Scenario, nodes: NodePlan[], randomness: Randomness): void {
  const everybody = nodes.map(({ index }) => index);
  for (const node of nodes) {
    const { behaviour } = node;
    if (behaviour === 'honest') continue;
    node.isHonest = false;
    if (behaviour === 'silent') continue;
    const how = { group: behaviour, plan: behaviour, fromBlock: 0n, moves: [] };
    node.attacks.push({ ...how, victims: others(everybody, node) });
  }
  for (const [n, { plan, fromBlock, moves, ...who }] of attacks.entries()) {
    const draw = randomness.of(`network/attack ${n}`);
    const attackers = select(who.nodes, nodes, draw);
    const victims = select(who.victims, nodes, draw).map(({ index }) => index);
    for (const node of attackers) {
      node.isHonest = false;
      // All nodes with one named plan work together; nodes that follow moves of their own work alone.
      const group = plan === 'moves' ? `moves ${n}` : plan;
      node.attacks.push({ group, plan, fromBlock, moves, victims: others(victims, node) });
    }
  }
}

function others(indexes: readonly number[], { index }: NodePlan): number[] {
  return indexes.filter((other) => other !== index);
}
