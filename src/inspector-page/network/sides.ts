/** The two sides of a channel as their own nodes show them, and where the two disagree. */
import type { ActorView } from '../../inspector/wire.ts';
import { bigintAt, fieldOf, textAt } from '../base/fields.ts';

/** What one node shows of a channel. */
export type NodeSide = { node: string; view: ActorView };
export type SeenChannel = {
  /** The channel's actor: it has the same id on both nodes. */
  id: string;
  /** Only one side when the partner is no node of this devnet, or its node has not answered yet. */
  sides: readonly [NodeSide] | readonly [NodeSide, NodeSide];
};

/** `field`: e.g. `alice's locked amount`; `first` and `second`: its values on the two nodes. */
type Difference = { field: string; first: string; second: string };
/**
 * `underWay`: an action of one side has not reached the other yet. `disputed`: both have the same nonce, or the
 * same block, and still differ.
 */
export type Agreement = {
  verdict: 'agreed' | 'underWay' | 'disputed' | 'alone';
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

export function agreementOf({ sides: [first, second] }: SeenChannel): Agreement {
  if (second === undefined) return { verdict: 'alone', differences: [] };
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

/** The channels that at least one side shows, by id; the sides in the order of `names`. */
export function channelsOf(
  views: ReadonlyMap<string, ReadonlyMap<string, ActorView>>,
  names: readonly string[],
): SeenChannel[] {
  return [...views]
    .flatMap(([id, byNode]): SeenChannel[] => {
      const [first, second] = names.flatMap((node) => {
        const view = byNode.get(node);
        return view === undefined ? [] : [{ node, view }];
      });
      if (first === undefined) return [];
      return [{ id, sides: second === undefined ? [first] : [first, second] }];
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
