/**
 * What a settlement pays to each side of a channel, in the arithmetic of the contract: it never reverts,
 * whatever was signed, and no old balance proof earns its user more. Source: protocol section 5.4.
 */
import { addSaturating, smaller } from '../../basics/amount.ts';

/** One side as the contract knows it at the end, amounts in the token's smallest unit. */
export type SettledSide = {
  deposit: bigint;
  withdrawn: bigint;
  /** The amounts of the balance proof that is on chain, 0 without one. */
  transferred: bigint;
  locked: bigint;
};

export type Settlement = {
  /** Paid at once. */
  amount1: bigint;
  amount2: bigint;
  /** Kept for the pending locks of that side; `unlock` pays at most this. */
  locked1: bigint;
  locked2: bigint;
};

type Moved = Pick<SettledSide, 'transferred' | 'locked'>;

/**
 * Whether `a` may be participant 1 of `settleChannel` with `b` as participant 2: the one that has moved more
 * (transferred and locked) comes second. True for both orders when they are equal.
 */
export function isSettleOrder(a: Moved, b: Moved): boolean {
  return moved(a) <= moved(b);
}

function moved({ transferred, locked }: Moved): bigint {
  return addSaturating(transferred, locked);
}

/** What a settlement pays. Throws when the sides are in the wrong order, or when more was withdrawn than deposited. */
export function settle(one: SettledSide, two: SettledSide): Settlement {
  if (!isSettleOrder(one, two)) throw new RangeError('settlement: participants in wrong order');
  const available = one.deposit + two.deposit - one.withdrawn - two.withdrawn;
  if (available < 0n) throw new RangeError('settlement: more withdrawn than deposited');
  const claim = addSaturating(moved(two) - moved(one), one.deposit);
  const share1 = smaller(split(claim, one.withdrawn).rest, available);
  const share2 = available - share1;
  // The locks of a side come out of what the other side would get, because they were not paid yet.
  const first = split(share1, two.locked);
  const second = split(share2, one.locked);
  return {
    amount1: first.rest,
    amount2: second.rest,
    locked1: second.taken,
    locked2: first.taken,
  };
}

/** Takes `wanted` out of `amount`, or as much as there is. */
function split(amount: bigint, wanted: bigint): { rest: bigint; taken: bigint } {
  const taken = smaller(amount, wanted);
  return { rest: amount - taken, taken };
}
