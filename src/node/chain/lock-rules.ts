/**
 * When this node accepts no lock of a payer, because it might lose on chain what it pays for that lock.
 *
 * For every lock that it passes on, or whose secret it requests as the target, the node may have to claim on chain
 * within the reveal timeout: that takes gas money and room in blocks, and the payer decides whether it is needed. The
 * node's own payments need neither: what it locks for them comes back or was spent, and the gas for the unlock that
 * brings it back is in the channel's reserve already.
 */
import { secretsPerBlock } from '../../chain/secret-batches.ts';
import { BLOCKS_TO_BE_SEEN } from '../../protocol/expiration.ts';
import type { Address } from '../../protocol/hex.ts';
import type { LockQuestion, LockRule } from '../runtime/lock-gate.ts';
import { weiFor } from './gas-reserve.ts';
import type { GasWatch } from './gas-watch.ts';
import type { PendingLocks } from './pending-locks.ts';

/** One partner gets at most a PARTNERS_PART-th of all registrations, and dust a DUST_PART-th of the places. */
const PARTNERS_PART = 4;
const DUST_PART = 4;

/** A lock of `partner` in `channel` whose secret this node may have to register. */
type Risk = {
  channel: string;
  partner: Address;
  amount: bigint;
  /**
   * Blocks reserved for its registration, if fewer than the channel's reveal timeout; null: the channel's reveal
   * timeout.
   */
  revealTimeout: bigint | null;
  isForwarded: boolean;
};

type Known = { pending: PendingLocks; confirmations: bigint };
type GasKnown = {
  pending: PendingLocks;
  watch: Pick<GasWatch, 'money'>;
  /** Called when a lock was refused: `wanted` wei would have been enough. */
  onShort(wanted: bigint): void;
};

/**
 * A payer that has forced this node to register a secret on chain, and has not paid yet, gets nothing passed on in any
 * of its channels: each withheld unlock costs this node the gas of a registration, and the payer nothing.
 */
export function cleanBooksRule({ pending }: Pick<Known, 'pending'>): LockRule {
  return (asked) => {
    const risk = riskOf(asked);
    return risk?.isForwarded && pending.forcedBy(risk.partner) > 0 ? 'no_route' : null;
  };
}

/**
 * Refuses every lock that may have to be protected while the account holds less than the gas reserve. A figure that is
 * unknown or too old refuses, too: an endpoint that does not answer cannot make this node promise anything.
 */
export function gasRule({ pending, watch, onShort }: GasKnown): LockRule {
  return (asked) => {
    const risk = riskOf(asked);
    if (risk === null) return null;
    const money = watch.money();
    if (money === null) return 'chain_unavailable';
    const wanted = weiFor(pending.gasWithOneMore(risk.channel), money.price);
    if (money.spare >= wanted) return null;
    onShort(wanted);
    return 'insufficient_gas';
  };
}

/**
 * Keeps the number of pending locks so low that all their secrets can be registered, even if all of them expire at one
 * block in the channel with the shortest reveal timeout: so many blocks, so many secrets in each, within the gas that a
 * block can be counted on to have.
 *
 * A partner gets a part of this room, so that none takes all. The value that is passed on never exceeds what this node
 * has in its channels; dust is kept to a part of the places, so that the rest is left for locks of value: a lock is
 * dust when 1,600 of them (ten full channels) would not move this node's money.
 */
export function roomRule({ pending, confirmations }: Known): LockRule {
  return (asked) => {
    const risk = riskOf(asked);
    if (risk === null) return null;
    const { channel, partner, amount, isForwarded } = risk;
    const facts = pending.channel(channel);
    if (facts === null) return 'channel_not_open';
    // A lock with a short reveal timeout must not take the room of others: if there is no room for it, it is refused.
    const least = pending.leastRevealTimeout(risk.revealTimeout ?? facts.revealTimeout);
    const room = roomFor(least, confirmations);
    const all = pending.all();
    const partners = pending.of(partner);
    const share = Math.floor(room / PARTNERS_PART);
    if (all.count >= room || partners.count >= share) return 'too_many_locks';
    // A payment to this node itself is accepted, however small it is.
    if (!isForwarded || !pending.isDust(amount, facts.token)) return null;
    const isFull =
      all.dust >= Math.floor(room / DUST_PART) || partners.dust >= Math.floor(share / DUST_PART);
    return isFull ? 'too_many_locks' : null;
  };
}

/**
 * How many secrets can be registered before the locks of a channel with this reveal timeout expire. Registration begins
 * when the last confirmed block leaves no more than the reveal timeout, and the blocks that are confirmed later have
 * passed by then. The blocks that a transaction may take to be mined count: all waiting transactions are sent at once
 * and side by side. No partner can choose a reveal timeout that leaves fewer blocks than that.
 */
export function roomFor(revealTimeout: bigint, confirmations: bigint): number {
  const blocks = revealTimeout - confirmations - BLOCKS_TO_BE_SEEN;
  return blocks > 0n ? Number(blocks) * secretsPerBlock() : 0;
}

/** The risk of the lock; null when nothing has to be protected for it. */
function riskOf({ channel, delivery }: LockQuestion): Risk | null {
  const { event } = delivery;
  if (event.type === 'actor.forwardLock') {
    const { payer, amountIn } = event;
    const { partner, revealTimeout } = payer;
    const given = { channel: payer.channel, partner, revealTimeout };
    return { ...given, amount: amountIn, isForwarded: true };
  }
  if (event.type !== 'msg.lockedTransfer') return null;
  const { target, recipient, lock } = event.message;
  if (target !== recipient) return null;
  const given = { channel, partner: event.sender, revealTimeout: null };
  return { ...given, amount: lock.amount, isForwarded: false };
}
