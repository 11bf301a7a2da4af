/**
 * How much of a channel those may hold for whom this node passes transfers on. A lock stands until it is paid
 * or runs out, for as long as a settle timeout and for no fee: without a bound, one payer could keep everybody
 * else out with dust, this node with them.
 *
 * Each payer may hold, in one outgoing channel, as many slots as are still free, and a few times the value
 * that is still free; only a transfer that is passed on while no other is may have all that can be sent, for so
 * much is announced and looked for. So no number of payers that work together takes all: of k that take what they can, each
 * has a share in k + 1 of the slots, and the next one who comes finds as much. What bounds k is that a payer
 * is the partner of an open channel with this node, which costs its gas and a deposit, one per token.
 */
import { distributable } from '../../src/protocol/channel-end.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Address, Hash } from '../../src/protocol/hex.ts';
import { MAX_PENDING_LOCKS } from '../../src/protocol/lock.ts';
import type { ChannelContext, Forwarded } from './context.ts';

type Budgeted = Pick<ChannelContext, 'ownEnd' | 'partnerEnd' | 'forwarded'>;

/** Slots that only payments of this node itself take: a tenth. */
const SLOTS_FOR_OWN = 16;
/** One payer alone gets half of these: enough for 64 payments at a time, and 8 more. */
const SLOTS_FOR_OTHERS = MAX_PENDING_LOCKS - SLOTS_FOR_OWN;
/** One payer may lock this many times what it leaves: in several transfers, seven eighths of what can be sent. */
const VALUE_SHARE = 7n;

/** Why no lock of `amount` is given for a transfer of `payer`, or null. It may be, when other locks have ended. */
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

/** The others, when this lock is gone. */
export function withoutForwarded(
  forwarded: readonly Forwarded[],
  secrethash: Hash,
): readonly Forwarded[] {
  const isPassedOn = forwarded.some((one) => one.secrethash === secrethash);
  return isPassedOn ? forwarded.filter((one) => one.secrethash !== secrethash) : forwarded;
}
