/**
 * Transfers that come in by a channel and are meant for another node, the conditions for passing one on, and how much
 * of a channel each payer may use for its own. Protocol sections 4.4 and 6.4.
 */

import { type Address, ZERO_HASH } from '../../src/basics/hex.ts';
import { balance, distributable, findLock } from '../../src/protocol/channel/channel-end.ts';
import { timesUsual } from '../../src/protocol/channel/expiration.ts';
import { type Lock, MAX_PENDING_LOCKS } from '../../src/protocol/channel/lock.ts';
import type { Code } from '../../src/protocol/codes.ts';
import { type FeeTerms, scheduleOf } from '../../src/protocol/fees/fee-terms.ts';
import { amountWithoutFees } from '../../src/protocol/fees/fees.ts';
import { secrethashOf } from '../../src/protocol/hash.ts';
import type { LockChange } from '../../src/protocol/messages/changes.ts';
import { nextHops } from '../../src/protocol/wire/metadata.ts';
import type { PayerSide } from '../base/inputs.ts';
import type { Effect } from '../effects.ts';
import type { AddLock, ForwardLock, LockForwarded } from '../events/notices.ts';
import type { Slots, Stamped } from '../events/stamps.ts';
import { signLater, withChange } from './changes.ts';
import {
  type ActorRefusal,
  type ChannelContext,
  type ChannelStep,
  on,
  onGiven,
  when,
} from './context.ts';
import { lockMade, lockRefusal, lockRefused, refusalOf, refuseLock } from './locks.ts';
import { canMediate } from './timeouts.ts';

/**
 * The secrethash of 32 zero bytes. Everybody knows that secret, and some secret registries refuse it, so that the
 * payer's lock may be impossible to claim.
 */
const HASH_OF_ZERO = secrethashOf(ZERO_HASH);

/** Spawns the mediator of a transfer for another node; empty when the transfer can only be held until it expires. */
export function mediating(
  channel: ChannelContext,
  { paymentId, initiator, target, metadata, lock }: LockChange,
  { nowBlock, fees }: { nowBlock: bigint; fees: FeeTerms },
): Effect[] {
  const { own, confirmations, partner, token, tokenNetwork } = channel;
  const hops = nextHops(metadata, { own, payer: partner, target });
  if (hops.length === 0 || lock.secrethash === HASH_OF_ZERO) return [];
  const id = `mediator:${lock.secrethash}`;
  const payer = payerSide(channel, { lock, fees });
  const facts = { paymentId, initiator, target, metadata, token, tokenNetwork, confirmations };
  const input = { id, ...facts, ...lock, payer, fees, hops, nowBlock };
  return [{ type: 'spawn.mediator', id, input }];
}

/**
 * The part of the locked amounts that counts as arrived when fees are computed. Without capped fees a mediator pays
 * for a transfer that brings its channel back to the middle. It must not pay twice for the same improvement: so all
 * that is locked counts as arrived, and each transfer gets what is left to gain. With capped fees the balances are
 * those of the reference implementation, which does not count locks as arrived.
 */
const underWay = (locked: bigint, { capFees }: FeeTerms): bigint => (capFees ? 0n : locked);

type Taken = { lock: Lock; fees: FeeTerms };

function payerSide(channel: ChannelContext, { lock, fees }: Taken): PayerSide {
  const { id, partner, settleTimeout, revealTimeout, ownEnd, partnerEnd } = channel;
  const others = underWay(partnerEnd.locked - lock.amount, fees);
  return {
    channel: id,
    partner,
    // In a channel whose timeouts leave no time, all of the lock's time is reserved: the lock is held until it
    // expires, and not passed on.
    revealTimeout: canMediate(channel) ? revealTimeout : lock.expiration,
    settleTimeout,
    balance: balance(ownEnd, partnerEnd) + others,
    receivable: balance(partnerEnd, ownEnd) - others,
  };
}

const NONE_KEPT: Slots = { kept: 0, own: 0 };

type Forwardable = { ok: true; amount: bigint } | { ok: false; refusal: ActorRefusal };

const notForwarded = (code: Code): Forwardable => ({ ok: false, refusal: lockRefused(code) });

/** The amount that this channel passes on of a transfer, or why it passes nothing on. */
function forwardable(channel: ChannelContext, event: Stamped<ForwardLock>): Forwardable {
  const { secrethash, expiration, nowBlock, payer, refusal, slots = NONE_KEPT } = event;
  if (refusal !== undefined) return notForwarded(refusal);
  if (payer.channel === channel.id) return notForwarded('no_route');
  // The partner has a lock of the same secrethash: whoever shows the secret would claim both.
  if (findLock(channel.partnerEnd, secrethash) !== undefined) return notForwarded('secret_used');
  const amount = amountToForward(channel, event);
  if (amount === null) return notForwarded('insufficient_balance');
  const lockTimeout = expiration - nowBlock;
  const found =
    refusalOf(channel, { amount, secrethash, lockTimeout }) ??
    shareRefusal(channel, { payer: payer.partner, slots, amount, lockTimeout }, nowBlock);
  return found === null ? { ok: true, amount } : { ok: false, refusal: found };
}

function amountToForward(
  { ownEnd, partnerEnd }: ChannelContext,
  { payer, fees, amountIn }: ForwardLock,
): bigint | null {
  const held = balance(ownEnd, partnerEnd);
  const mediation = {
    scheduleIn: scheduleOf(fees, payer.balance + payer.receivable),
    scheduleOut: scheduleOf(fees, held + balance(partnerEnd, ownEnd)),
    balanceIn: payer.balance,
    receivable: payer.receivable,
    balanceOut: held - underWay(ownEnd.locked, fees),
  };
  return amountWithoutFees(mediation, amountIn);
}

/** Passes a transfer on with a lock that expires when the payer's does; `forwardable` has allowed it. */
function forwardLock(channel: ChannelContext, event: Stamped<ForwardLock>): ChannelStep {
  const asked = forwardable(channel, event);
  if (!asked.ok) throw new Error(`channel: passed on what it must not: ${asked.refusal.code}`);
  const { secrethash, expiration, payer } = event;
  const lock = { amount: asked.amount, secrethash, expiration };
  const forwarded = [...channel.forwarded, { secrethash, payer: payer.partner }];
  const made = lockMade(channel, event, lock, payer.partner);
  const next = withChange(channel, made);
  const { ownEnd, unsigned } = next;
  const { id, partner } = channel;
  const told: LockForwarded = {
    type: 'actor.lockForwarded',
    channel: id,
    partner,
    amount: asked.amount,
  };
  return {
    patch: { ownEnd, unsigned, forwarded },
    effects: [...signLater(next), { type: 'notify', to: event.from, event: told }],
  };
}

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
 * which costs it gas and a deposit, once for each token. So if there are customers, a quarter of the slots is free for
 * them only, for each as many as the runtime says.
 */
type Shared = Pick<ChannelContext, 'ownEnd' | 'partnerEnd' | 'forwarded' | 'revealTimeout'>;

/** Slots that are kept for payments which this node itself starts: a tenth of all. */
const SLOTS_FOR_OWN = 16;
/**
 * Slots for transfers that are passed on. One payer alone gets half of them: enough for 64 payments at a time, and 8
 * more.
 */
const SLOTS_FOR_OTHERS = MAX_PENDING_LOCKS - SLOTS_FOR_OWN;
/** Those of them that are kept for customers, if there are any: who is none gets 54 then when it is alone. */
export const SLOTS_FOR_CUSTOMERS = SLOTS_FOR_OTHERS / 4;
/**
 * One payer may lock this many times the value that it leaves free: with several transfers, seven eighths of what can
 * be sent.
 */
const VALUE_SHARE = 7n;

type Wanted = { payer: Address; slots: Slots; amount: bigint; lockTimeout: bigint };

/**
 * Why no lock of `amount` is given for a transfer of `payer`, or null. A lock that lasts longer than usual counts as several.
 * A refusal holds only until other locks have ended.
 */
function shareRefusal(
  channel: Shared,
  { payer, slots, amount, lockTimeout }: Wanted,
  nowBlock: bigint,
): ActorRefusal | null {
  const { ownEnd, partnerEnd, forwarded, revealTimeout } = channel;
  const held = new Set(forwarded.filter((one) => one.payer === payer).map((one) => one.secrethash));
  const left = Math.min(
    SLOTS_FOR_OTHERS - forwarded.length,
    MAX_PENDING_LOCKS - ownEnd.locks.length,
  );
  const freeSlots = left > 0 ? slots.own + Math.max(0, left - slots.kept) : 0;
  let times = timesUsual(lockTimeout, revealTimeout);
  let locked = times * amount;
  for (const lock of ownEnd.locks) {
    if (!held.has(lock.secrethash)) continue;
    const more = timesUsual(lock.expiration - nowBlock, revealTimeout);
    times += more;
    locked += more * lock.amount;
  }
  if (times > BigInt(freeSlots)) return lockRefused('too_many_locks');
  if (forwarded.length === 0) return null;
  const freeValue = distributable(ownEnd, partnerEnd) - amount;
  return locked > VALUE_SHARE * freeValue ? lockRefused('insufficient_balance') : null;
}

function lockRefusalOf(
  channel: ChannelContext,
  event: Stamped<AddLock | ForwardLock>,
): ActorRefusal | null {
  if (event.type === 'actor.addLock') return lockRefusal(channel, event);
  const asked = forwardable(channel, event);
  return asked.ok ? null : asked.refusal;
}

/** Refuses a lock of either kind: own ones are checked in locks.ts. `given`: the code that the chart knows already. */
function refuseAnyLock(
  channel: ChannelContext,
  event: Stamped<AddLock | ForwardLock>,
  given: { code: Code } | undefined,
): ChannelStep {
  const found = given === undefined ? lockRefusalOf(channel, event) : lockRefused(given.code);
  return refuseLock(event, found ?? lockRefused('channel_not_open'));
}

export const guards = {
  canForward: when((channel, event) => forwardable(channel, event).ok, 'actor.forwardLock'),
};

export const actions = {
  forwardLock: on(forwardLock, 'actor.forwardLock'),
  refuseLock: onGiven(refuseAnyLock, 'actor.addLock', 'actor.forwardLock'),
};
