/**
 * How much of a channel the payers may use whose transfers this node passes on. A lock keeps its slot and its amount
 * until it is paid or expires, for as long as a settle timeout and for no fee. Without a bound, one payer could keep
 * everybody else out with tiny locks, this node included.
 *
 * Each payer may use, in one outgoing channel, as many slots as are still free, and a few times the value that is
 * still free. Only a transfer that is passed on while there is no other may use all that can be sent, because that is
 * the capacity that this node announces and for which routes are sought. So when k payers that work together take
 * what they can, each has one of k + 1 equal parts of the slots, and the next payer finds as much, until eight of them
 * have rounded that down to nothing. What bounds k is that a payer must be the partner of an open channel with this node,
 * which costs it gas and a deposit, once for each token.
 */
import { distributable } from '../../src/protocol/channel/channel-end.ts';
import { MAX_PENDING_LOCKS } from '../../src/protocol/channel/lock.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Address, Hash } from '../../src/protocol/hex.ts';
import type { ChannelContext, Forwarded } from './context.ts';

type Budgeted = Pick<ChannelContext, 'ownEnd' | 'partnerEnd' | 'forwarded'>;

/** Slots that are kept for payments which this node itself starts: a tenth of all. */
const SLOTS_FOR_OWN = 16;
/**
 * Slots for transfers that are passed on. One payer alone gets half of them: enough for 64 payments at a time, and 8
 * more.
 */
const SLOTS_FOR_OTHERS = MAX_PENDING_LOCKS - SLOTS_FOR_OWN;
/**
 * One payer may lock this many times the value that it leaves free: with several transfers, seven eighths of what can
 * be sent.
 */
const VALUE_SHARE = 7n;

/**
 * Why no lock of `amount` is given for a transfer of `payer`, or null. A refusal holds only until other locks have
 * ended.
 */
export function budgetRefusal(
  channel: Budgeted,
  { payer, amount }: { payer: Address; amount: bigint },
): Code | null {
  const { ownEnd, partnerEnd, forwarded } = channel;
  const held = new Set(forwarded.filter((one) => one.payer === payer).map((one) => one.secrethash));
  const freeSlots = Math.min(
    SLOTS_FOR_OTHERS - forwarded.length,
    MAX_PENDING_LOCKS - ownEnd.locks.length,
  );
  if (held.size >= freeSlots) return 'too_many_locks';
  if (forwarded.length === 0) return null;
  const locked = ownEnd.locks.reduce(
    (sum, lock) => (held.has(lock.secrethash) ? sum + lock.amount : sum),
    amount,
  );
  const freeValue = distributable(ownEnd, partnerEnd) - amount;
  return locked > VALUE_SHARE * freeValue ? 'insufficient_balance' : null;
}

/** The list without the lock of this secrethash. */
export function withoutForwarded(
  forwarded: readonly Forwarded[],
  secrethash: Hash,
): readonly Forwarded[] {
  const isPassedOn = forwarded.some((one) => one.secrethash === secrethash);
  return isPassedOn ? forwarded.filter((one) => one.secrethash !== secrethash) : forwarded;
}
