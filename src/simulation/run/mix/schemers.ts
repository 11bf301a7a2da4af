/**
 * Draws attacks that take money for gas: keys of which nobody has heard open channels of junk tokens with a node over
 * which others pay, put units in for it, give it locks, close, and leave the rest to it. Sometimes the node has little
 * more money for gas than it needs.
 */
import { JUNK, type Junk } from '../../scenario/schema/moves.ts';
import type { Draw } from '../../world/randomness.ts';
import type { Facts } from './traffic.ts';

/** Share of the seeds in which there is such an attack. */
const SHARE = 0.2;
const THIN_SHARE = 0.6;
/** Two processes with one key settle the same channels, and there are many now. */
const NEVER: ReadonlySet<unknown> = new Set(['second_process']);
/** Nobody promises that a node with little money for gas survives these. */
const TOO_MUCH: ReadonlySet<unknown> = new Set([
  'price_spike',
  'full_blocks',
  'no_gas',
  'hostile_token',
  'foreign_transaction',
]);
const KEYS = [3, 8, 14, 20, 26];
/** The longest timeout: far longer than any run. */
const LONG = 10_000;
/** Locks that are held take seconds of work. */
const MOST_LOCKS = 60;
const LATE = 12;

/** The keys that make a move, with the channels of which token, and with whom. */
type Strange = { to: number; token: Junk; first: number; keys: number };
/** A scenario as the plain data of a file, as far as it is changed. */
type Tree = {
  chain: object;
  nodes: unknown[];
  traffic: object[];
  faults: object[];
  attacks: object[];
};

/** The same world with such an attack, or as it is. */
export function withSchemers<T extends Tree>(draw: Draw, facts: Facts, tree: T): T {
  if (!draw.happens(SHARE) || facts.nodes < 4) return tree;
  const victim = facts.kind === 'star' ? 0 : 1;
  const moves = drawMoves(draw, victim, facts);
  const attack = { plan: 'moves', nodes: String(facts.nodes - 1), from_block: 0, moves };
  const most = draw.pick([1, 3]);
  const customer = { kind: 'nodes', nodes: facts.kind === 'star' ? '1' : '0' };
  const custom = {
    from: customer,
    to: { kind: 'nodes', nodes: String(victim) },
    rate: { kind: 'poisson', per_block: 0.4 },
    amount: { kind: 'uniform', least: facts.amount(1), most: facts.amount(most) },
  };
  const more = {
    traffic: [...tree.traffic, custom],
    attacks: [...tree.attacks, attack],
    faults: without(NEVER, tree.faults),
  };
  const all = { ...tree, ...more };
  return draw.happens(THIN_SHARE) ? { ...all, ...thin(draw, victim, facts, all) } : all;
}

/** Little money for the victim, and nothing that would take more from it than it can know of. */
function thin(draw: Draw, victim: number, { kind, nodes }: Facts, tree: Tree) {
  const channels = kind === 'star' ? nodes - 1 : 2;
  const gas_money = `${(channels * draw.integer(35, 55)) / 10_000} ether`;
  const { chain } = tree;
  return {
    chain: { ...chain, congestion: [], price_spikes: [] },
    nodes: [...tree.nodes, { nodes: String(victim), gas_money }],
    faults: without(TOO_MUCH, tree.faults),
  };
}

const without = (kinds: ReadonlySet<unknown>, faults: readonly object[]): object[] =>
  faults.filter((fault) => !('kind' in fault && kinds.has(fault.kind)));

/** One group of keys, or one for each token. */
function drawMoves(draw: Draw, victim: number, facts: Facts): object[] {
  const tokens = draw.happens(0.4) ? JUNK : [draw.pick(JUNK)];
  const leaves = draw.happens(0.6);
  return tokens.flatMap((token, group) => {
    const strange: Strange = { to: victim, token, first: 100 * group, keys: draw.pick(KEYS) };
    return leaves ? ending(draw, strange, facts) : staying(draw, strange);
  });
}

/** They open, perhaps give a lock or a few, close, and leave the rest to the victim. */
function ending(draw: Draw, strange: Strange, { settle, blocks }: Facts): object[] {
  const times = draw.pick([0, 0, 0, 1, 3]);
  const settle_timeout = times === 0 ? draw.integer(4, 12) : settle;
  const locks = {
    do: 'stuff',
    ...strange,
    after: 1,
    times,
    show: draw.pick(['never', 'told', 'registered']),
    secrets: draw.pick(['own', 'shared']),
    blocks: settle - 1,
  };
  return [
    opening(draw, strange, { settle_timeout, deposit: Math.max(1, times) }),
    ...(times === 0 ? [] : [locks]),
    ...(draw.happens(0.8)
      ? [{ do: 'abandon', ...strange, after: times === 0 ? 2 : draw.integer(10, blocks - LATE) }]
      : []),
  ];
}

/** They open for longer than anybody looks, and perhaps give locks that they only hold. */
function staying(draw: Draw, strange: Strange): object[] {
  const times = draw.pick([0, 3, MOST_LOCKS]);
  const open = opening(draw, strange, { settle_timeout: LONG, deposit: Math.max(1, times) });
  const held = { do: 'stuff', ...strange, after: 1, times, show: 'never', blocks: LONG - 100 };
  return times === 0 ? [open] : [open, held];
}

function opening(draw: Draw, strange: Strange, terms: object): object {
  // Nobody settles a channel whose token burns gas for both sides: that takes more than a node lets it take.
  const gift = draw.pick([0, strange.token === 'burning' ? 0 : 1]);
  return { do: 'open', ...strange, after: draw.integer(0, 2), gift, ...terms };
}
