/**
 * When this node takes on no lock of somebody else's, because it could not bring home what it pays for it.
 *
 * Every lock that it passes on, or asks the secret of as its target, may have to be claimed on chain within
 * the reveal timeout: that takes gas money and room in blocks, and the payer decides whether it is needed.
 * Its own payments need neither: what it locks for them comes back or was spent, and the unlock that brings
 * it back is in the reserve for the channel already.
 */
import { secretsPerBlock } from '../../chain/secret-batches.ts';
import { BLOCKS_TO_BE_SEEN } from '../../protocol/expiration.ts';
import type { Address } from '../../protocol/hex.ts';
import type { LockQuestion, LockRule } from '../runtime/lock-gate.ts';
import { weiFor } from './gas-reserve.ts';
import type { GasWatch } from './gas-watch.ts';
import type { PendingLocks } from './pending-locks.ts';

/** One partner gets at most this part of all registrations, and dust this part of what there is. */
const PARTNERS_PART = 4;
const DUST_PART = 4;

/** What a lock that comes from `partner` in `channel` may make this node do. */
type Risk = {
  channel: string;
  partner: Address;
  amount: bigint;
  /** Blocks kept for its registration, where they are fewer than its channel's; null: as many. */
  revealTimeout: bigint | null;
  isForwarded: boolean;
};

type Known = { pending: PendingLocks; confirmations: bigint };
type GasKnown = {
  pending: PendingLocks;
  watch: Pick<GasWatch, 'money'>;
  /** A lock was refused: so many wei would have been enough. */
  onShort(wanted: bigint): void;
};

/**
 * A payer that has made this node turn to the chain, and has not paid yet, gets nothing passed on in any of
 * its channels: each withheld unlock costs this node the gas of a registration, and the payer nothing.
 */
export function cleanBooksRule({ pending }: Pick<Known, 'pending'>): LockRule {
  return (asked) => {
    const risk = riskOf(asked);
    return risk?.isForwarded && pending.forcedBy(risk.partner) > 0 ? 'no_route' : null;
  };
}

/**
 * Below the reserve nothing is taken on that may have to be protected. A figure that is not known, or is too
 * old, refuses: an endpoint that does not answer cannot make this node promise anything.
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
 * What is pending can all be registered, even if all of it ends at one block in the channel with the shortest
 * margin: so many blocks of it, and so many secrets in each, at the gas of a block that is counted on.
 *
 * A partner gets a part of it, so that none takes all. In value, what is passed on never exceeds what this
 * node has in its channels; dust is kept to a part of the places, so that the rest of them is there for locks
 * that carry it: a lock is dust when 1,600 of them (ten full channels) would not move this node's money.
 */
export function roomRule({ pending, confirmations }: Known): LockRule {
  return (asked) => {
    const risk = riskOf(asked);
    if (risk === null) return null;
    const { channel, partner, amount, isForwarded } = risk;
    const facts = pending.channel(channel);
    if (facts === null) return 'channel_not_open';
    // Nobody's short lock may leave others without room: where there is none for it, it is refused itself.
    const least = pending.leastRevealTimeout(risk.revealTimeout ?? facts.revealTimeout);
    const room = roomFor(least, confirmations);
    const all = pending.all();
    const partners = pending.of(partner);
    const share = Math.floor(room / PARTNERS_PART);
    if (all.count >= room || partners.count >= share) return 'too_many_locks';
    // What is paid to this node itself is welcome, however little it is.
    if (!isForwarded || !pending.isDust(amount, facts.token)) return null;
    const isFull =
      all.dust >= Math.floor(room / DUST_PART) || partners.dust >= Math.floor(share / DUST_PART);
    return isFull ? 'too_many_locks' : null;
  };
}

/**
 * Secrets that can be registered before the locks of a channel with this reveal timeout run out. It begins
 * when the last confirmed block leaves no more than the reveal timeout, and the blocks that are confirmed
 * later have passed by then. The blocks that a transaction may take to be mined count: all that wait are sent
 * at once and side by side. No partner can choose a timeout that leaves fewer than those.
 */
export function roomFor(revealTimeout: bigint, confirmations: bigint): number {
  const blocks = revealTimeout - confirmations - BLOCKS_TO_BE_SEEN;
  return blocks > 0n ? Number(blocks) * secretsPerBlock() : 0;
}

/** Null: nothing has to be protected for it. */
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
