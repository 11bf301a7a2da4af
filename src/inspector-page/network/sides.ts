/** The two sides of a channel as the nodes that answer show them, and where the two disagree. */

import { byActorId } from '../../inspector/texts/actor-order.ts';
import { shortId } from '../../inspector/texts/short-id.ts';
import type { ActorView, MoneySide } from '../../inspector/wire.ts';
import { bigintAt, fieldOf, textAt } from '../base/fields.ts';

/** What one node shows of a channel. */
type NodeSide = { node: string; view: ActorView };
/**
 * One of the two who have the channel. `told`: by its own node when that answers, else by the partner's; null: neither does.
 * `of`: how a figure of this side is called, e.g. `alice/channel:0x…:1/own`.
 */
export type Party = {
  name: string;
  /** It is one of the nodes and does not answer. */
  isAway: boolean;
  told: { view: ActorView; end: 'own' | 'partner'; money: MoneySide; of: string } | null;
};
export type SeenChannel = {
  /** The channel's actor: it has the same id on both nodes. */
  id: string;
  /** What the nodes that answer show; one when the partner is no node here, is away, or does not hold it (yet). */
  sides: readonly NodeSide[];
  /** In the order of the nodes, whoever answers. */
  parties: readonly [Party, Party];
};

/** `field`: e.g. `alice's locked amount`; `first` and `second`: its values on the two nodes. */
type Difference = { field: string; first: string; second: string };
/**
 * `underWay`: an action of one side has not reached the other yet. `disputed`: both have the same nonce, or the
 * same block, and still differ. `away`: a side does not answer, so that nobody can compare.
 */
export type Agreement = {
  verdict: 'agreed' | 'underWay' | 'disputed' | 'alone' | 'away';
  differences: readonly Difference[];
};

/** Changed by messages: a difference is natural until the message with the newest nonce has arrived. */
const SIGNED = ['transferred', 'locked', 'locks'] as const;
/** Changed by the chain: a difference is natural until both nodes have handled the same block. */
const ON_CHAIN = ['deposit', 'withdrawn'] as const;
const WORDS = {
  transferred: 'transferred amount',
  locked: 'locked amount',
  locks: 'locks',
  deposit: 'deposit',
  withdrawn: 'withdrawn amount',
};

export function agreementOf({
  sides: [first, second],
  parties,
}: Pick<SeenChannel, 'sides' | 'parties'>): Agreement {
  if (parties.some(({ isAway }) => isAway)) return { verdict: 'away', differences: [] };
  if (first === undefined || second === undefined) return { verdict: 'alone', differences: [] };
  const ofFirst = compareEnd(first, second);
  const ofSecond = compareEnd(second, first);
  const differences = [
    ...ofFirst.map(({ field, own, held }) => ({ field, first: own, second: held })),
    ...ofSecond.map(({ field, own, held }) => ({ field, first: held, second: own })),
  ];
  if (differences.length === 0) return { verdict: 'agreed', differences };
  const isOdd = [...ofFirst, ...ofSecond].some((found) => found.isOdd);
  return { verdict: isOdd ? 'disputed' : 'underWay', differences };
}

/** `isOdd`: no message or block on its way can explain the difference. */
type Found = { field: string; own: string; held: string; isOdd: boolean };

/** The differences between the end of `owner` on its own node and the copy of it that `other` keeps. */
function compareEnd(owner: NodeSide, other: NodeSide): Found[] {
  const own = fieldOf(owner.view.context, 'ownEnd');
  const held = fieldOf(other.view.context, 'partnerEnd');
  // The nonce of a withdraw message is not part of a balance proof: only a signed difference needs it.
  const isSameNonce = bigintAt(own, 'nonce') === bigintAt(held, 'nonce');
  const isSameBlock = owner.view.block === other.view.block;
  const differing = (fields: readonly (keyof typeof WORDS)[], isOdd: boolean): Found[] =>
    fields
      .map((field) => ({
        field: `${owner.node}’s ${WORDS[field]}`,
        own: said(own, field),
        held: said(held, field),
        isOdd,
      }))
      .filter((found) => found.own !== found.held);
  return [...differing(SIGNED, isSameNonce), ...differing(ON_CHAIN, isSameBlock)];
}

function said(end: unknown, field: keyof typeof WORDS): string {
  if (field !== 'locks') return String(bigintAt(end, field) ?? '?');
  const locks = fieldOf(end, 'locks');
  if (!Array.isArray(locks)) return '?';
  return locks.map((lock: unknown) => textAt(lock, 'secrethash') ?? '?').join(' ') || 'none';
}

type Known = { name: string; address: string };

/** The channels that a node has shown, by id. `away`: the names of the nodes that do not answer. */
export function channelsOf(
  views: ReadonlyMap<string, ReadonlyMap<string, ActorView>>,
  nodes: readonly Known[],
  away: ReadonlySet<string>,
): SeenChannel[] {
  return [...views]
    .flatMap(([id, byNode]): SeenChannel[] => {
      const known = nodes.flatMap(({ name: node }) => {
        const view = byNode.get(node);
        return view === undefined ? [] : [{ node, view }];
      });
      const [any] = known;
      if (any === undefined) return [];
      const sides = known.filter(({ node }) => !away.has(node));
      const own = nodes.find(({ name }) => name === any.node);
      const partner = partnerOf(any.view, nodes);
      const parties = [own ?? { name: any.node, address: '' }, partner]
        .sort((a, b) => placeOf(a, nodes) - placeOf(b, nodes))
        .map(({ name }) => partyOf(id, name, sides, away));
      const [left, right] = parties;
      return left === undefined || right === undefined
        ? []
        : [{ id, sides, parties: [left, right] }];
    })
    .sort((a, b) => byActorId(a.id, b.id));
}

function partnerOf({ context, money }: ActorView, nodes: readonly Known[]): Known {
  const address = textAt(context, 'partner') ?? money?.partner.address ?? '';
  return nodes.find((node) => node.address === address) ?? { name: shortId(address), address };
}

/** Who is no node comes last. */
function placeOf({ name }: Known, nodes: readonly Known[]): number {
  const at = nodes.findIndex((node) => node.name === name);
  return at < 0 ? nodes.length : at;
}

function partyOf(
  id: string,
  name: string,
  sides: readonly NodeSide[],
  away: ReadonlySet<string>,
): Party {
  const own = sides.find(({ node }) => node === name);
  const teller = own ?? sides[0];
  const end = own === undefined ? 'partner' : 'own';
  const money = teller?.view.money?.[end];
  const told =
    teller === undefined || money === undefined
      ? null
      : ({ view: teller.view, end, money, of: `${teller.node}/${id}/${end}` } as const);
  return { name, isAway: away.has(name), told };
}
