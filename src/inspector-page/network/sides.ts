/** The two sides of a channel as their own nodes see them, and where the two disagree. */
import type { ActorView } from '../../inspector/wire.ts';
import { bigintAt, fieldOf, textAt } from '../fields.ts';

/** What one node says of a channel. */
export type Side = { node: string; view: ActorView };
export type Channel = {
  /** The channel's actor: it has the same id on both nodes. */
  id: string;
  /** One side when its partner is no node of this devnet, or has not told yet. */
  sides: readonly [Side] | readonly [Side, Side];
};

/** `field`: e.g. `alice's locked amount`, as the one says it and as the other does. */
type Difference = { field: string; first: string; second: string };
/**
 * `underWay`: what one side has done has not reached the other yet. `disputed`: both speak of the same step,
 * or the same block, and say different things of it.
 */
export type Agreement = {
  verdict: 'agreed' | 'underWay' | 'disputed' | 'alone';
  differences: readonly Difference[];
};

/** Moved by messages: a difference is natural until the message with the newest nonce has arrived. */
const SIGNED = ['transferred', 'locked', 'locks'] as const;
/** Moved by the chain: a difference is natural until both have handled the same block. */
const ON_CHAIN = ['deposit', 'withdrawn'] as const;
const WORDS = {
  transferred: 'transferred amount',
  locked: 'locked amount',
  locks: 'locks',
  deposit: 'deposit',
  withdrawn: 'withdrawn amount',
};

export function agreementOf({ sides: [first, second] }: Channel): Agreement {
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

/** `isOdd`: nothing that is on its way explains it. */
type Found = { field: string; own: string; held: string; isOdd: boolean };

/** What `owner` says of its own end against what `other` holds of it. */
function compareEnd(owner: Side, other: Side): Found[] {
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

/** The channels that are seen from at least one side, by id; the sides in the order of `names`. */
export function channelsOf(
  views: ReadonlyMap<string, ReadonlyMap<string, ActorView>>,
  names: readonly string[],
): Channel[] {
  return [...views]
    .flatMap(([id, byNode]): Channel[] => {
      const [first, second] = names.flatMap((node) => {
        const view = byNode.get(node);
        return view === undefined ? [] : [{ node, view }];
      });
      if (first === undefined) return [];
      return [{ id, sides: second === undefined ? [first] : [first, second] }];
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}
