/** What a simulated world is made of, as the scenario wants it. */

import { smaller } from '../../basics/amount.ts';
import type { Address } from '../../basics/hex.ts';
import type { NodeSettings } from '../../node/runtime/parts.ts';
import type { FeeTerms } from '../../protocol/fees/fee-terms.ts';
import type { Market } from '../byzantine/program.ts';
import { JUNK, type Junk } from '../scenario/schema/moves.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import type { AttackPlan, ChannelPlan, NetworkPlan } from '../scenario/topology.ts';
import { type ServicesPlan, servicesPlan } from '../services/services.ts';

/** The plan of one node. Amounts in the token's smallest unit, money for gas in wei, timeouts in blocks. */
export type MachinePlan = {
  name: string;
  fees: FeeTerms;
  revealTimeout: bigint;
  settleTimeout: bigint;
  gasMoney: bigint;
  /** The share of a core that runs it; null: its code takes no time. */
  core: number | null;
  /** A second machine follows its database, and takes over after so much silence (null: when told); null: none does. */
  standby: { takeoverAfterMs: number | null } | null;
  /** Null: it keeps all of its history. */
  keepHistoryMs: number | null;
  /** Blocks for which what it sells is offered; null: it sells nothing. */
  sells: bigint | null;
};
export type WorldPlan = {
  machines: readonly MachinePlan[];
  channels: readonly ChannelPlan[];
  token: { symbol: string; decimals: number };
  /** The nodes that deposit service tokens of their own. */
  serviceHolders: readonly number[];
  /** Further tokens, which are worth nothing, and the nodes that have units of them. */
  junk: readonly { kind: Junk; holders: readonly number[] }[];
  confirmations: bigint;
  startBlock: bigint;
  blockMs: number;
  /** How far a single block may be from its regular time, as a share of `blockMs`. */
  jitter: number;
  gasLimit: bigint;
  routingMode: NodeSettings['routingMode'];
  /** All nodes search routes on one copy of the network, whatever their routing mode. */
  sharesNetwork: boolean;
  services: ServicesPlan;
  /** The shortest period of nodes' timers, in milliseconds. */
  tickMs: number;
};

export function worldPlan(
  { chain, network, services, steps }: Scenario,
  plan: NetworkPlan,
): WorldPlan {
  const blockMs = chain.blockTime * 1000;
  return {
    machines: plan.nodes,
    channels: plan.channels,
    token: network.token,
    serviceHolders: steps.flatMap((step) => (step.do === 'fill_user_deposit' ? [step.node] : [])),
    junk: junkOf(plan.nodes),
    sharesNetwork: services.pathFinding.kind === 'shared',
    confirmations: chain.confirmations,
    startBlock: chain.startBlock,
    blockMs,
    jitter: chain.jitter,
    gasLimit: chain.gasLimit,
    routingMode: services.pathFinding.kind === 'local' ? 'local' : 'pfs',
    services: servicesPlan(services),
    // A few times per block, in a network of any size: what was lost is sent again at a tick, and so arrives as soon.
    tickMs: Math.max(100, Math.round(blockMs / 12)),
  };
}

/** The junk tokens that attacks need. */
function junkOf(nodes: NetworkPlan['nodes']): WorldPlan['junk'] {
  const uses = ({ plan, moves }: AttackPlan, kind: Junk) =>
    (plan === 'worthless_channels' && kind === 'worthless') ||
    moves.some((move) => 'token' in move && move.token === kind);
  return JUNK.map((kind) => {
    const users = nodes.filter(({ attacks }) => attacks.some((attack) => uses(attack, kind)));
    return { kind, holders: users.map(({ index }) => index) };
  }).filter(({ holders }) => holders.length > 0);
}

/**
 * The least settle timeout that the contract accepts. Monitoring services compute with it, so it is the shortest of
 * all channels.
 */
export function shortestTimeout({ services, machines, channels }: WorldPlan): bigint {
  if (services.monitoring.count === 0) return 2n;
  const all = [...machines, ...channels].map(({ settleTimeout }) => settleTimeout);
  return all.reduce(smaller);
}

type ChainToken = { address: Address; network: Address | null };

/** The tokens that are worth nothing, which the chain has in the order of the plan. */
export function junkOn({ junk }: WorldPlan, tokens: readonly ChainToken[]) {
  const holdings = junk.flatMap(({ kind, holders }, place) => {
    const { address: token, network } = tokens[place] ?? { address: null, network: null };
    return token === null || network === null ? [] : [{ kind, holders, token, network }];
  });
  return {
    holdings,
    /** The token of this kind, with its network, for attacks; null: there is none. */
    of: (kind: Junk): Market | null => holdings.find((one) => one.kind === kind) ?? null,
  };
}
