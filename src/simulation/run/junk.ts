/** The tokens of a simulated chain that are worth nothing, and the nodes that have units of them. */
import type { Address } from '../../basics/hex.ts';
import type { Market } from '../byzantine/program.ts';
import { JUNK, type Junk } from '../scenario/schema/moves.ts';
import type { AttackPlan, NetworkPlan } from '../scenario/topology.ts';

type Holding = { kind: Junk; holders: readonly number[] };
/** The junk tokens that attacks need. */
export function junkOf(nodes: NetworkPlan['nodes']): Holding[] {
  const uses = ({ plan, moves }: AttackPlan, kind: Junk) =>
    (plan === 'worthless_channels' && kind === 'worthless') ||
    moves.some((move) => 'token' in move && move.token === kind);
  return JUNK.map((kind) => {
    const users = nodes.filter(({ attacks }) => attacks.some((attack) => uses(attack, kind)));
    return { kind, holders: users.map(({ index }) => index) };
  }).filter(({ holders }) => holders.length > 0);
}

type ChainToken = { address: Address; network: Address | null };

/** The tokens that are worth nothing, which the chain has in the order of `junk`. */
export function junkOn(junk: readonly Holding[], tokens: readonly ChainToken[]) {
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
