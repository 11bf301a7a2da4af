/**
 * Locks that this node makes in a channel: when one may be made, and how it is paid or taken away. Protocol 4.2 to
 * 4.5.
 */

import type { Address, Hash } from '../../src/basics/hex.ts';
import {
  assertSound,
  type ChannelEnd,
  distributable,
  findLock,
  proofAmounts,
  withLock,
  withoutLock,
  withUnlocked,
} from '../../src/protocol/channel/channel-end.ts';
import { isLockTimeoutAllowed, lockExpiration } from '../../src/protocol/channel/expiration.ts';
import { type Lock, MAX_PENDING_LOCKS } from '../../src/protocol/channel/lock.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Effect, Send } from '../effects.ts';
import type {
  AddLock,
  DoUnlock,
  ExpireLock,
  ForwardLock,
  SecretRegistered,
  Unanswered,
} from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { unexplainedLock } from '../keeper/keeping.ts';
import { type ChannelContext, type ChannelStep, on, type Refusal, when } from './context.ts';
import { proofRecord } from './proofs.ts';
import { revealTimeoutInForce, timeoutsRefusal, UNSAFE_TIMEOUTS } from './timeouts.ts';

/** Why no lock can be added now, or null. */
export function lockRefusal(
  channel: ChannelContext,
  event: Pick<AddLock, 'amount' | 'secrethash' | 'lockTimeout' | 'refusal'>,
): Refusal | null {
  const { amount, secrethash, refusal } = event;
  if (refusal !== undefined) return lockRefused(refusal);
  const lockTimeout = event.lockTimeout ?? 2n * revealTimeoutInForce(channel);
  return refusalOf(channel, { amount, secrethash, lockTimeout });
}

/** The same for a lock that ends `lockTimeout` blocks from now. */
export function refusalOf(
  channel: ChannelContext,
  asked: { amount: bigint; secrethash: Hash; lockTimeout: bigint },
): Refusal | null {
  const { ownEnd, partnerEnd, settleTimeout } = channel;
  const { amount, secrethash, lockTimeout } = asked;
  const unsafe = timeoutsRefusal(channel);
  if (unsafe !== null) return unsafe;
  const revealTimeout = revealTimeoutInForce(channel);
  if (!isLockTimeoutAllowed(lockTimeout, revealTimeout, settleTimeout))
    return lockRefused('invalid_timeout');
  if (ownEnd.locks.length >= MAX_PENDING_LOCKS) return lockRefused('too_many_locks');
  if (findLock(ownEnd, secrethash) !== undefined) return lockRefused('secret_used');
  if (amount > distributable(ownEnd, partnerEnd)) return lockRefused('insufficient_balance');
  return null;
}

/** The lock that `event` asks for; its expiration counts from the newest confirmed block. */
function lockOf(channel: ChannelContext, event: Stamped<AddLock>): Lock {
  return {
    amount: event.amount,
    secrethash: event.secrethash,
    expiration: lockExpiration(event.nowBlock, revealTimeoutInForce(channel), event.lockTimeout),
  };
}

/** The lock of this side by its secrethash. Throws when there is none: ask `findLock` first. */
export function lockIn(end: ChannelEnd, secrethash: Hash): Lock {
  const lock = findLock(end, secrethash);
  if (lock === undefined) throw new Error('channel: no such lock');
  return lock;
}

/** The channel after its own side changed. Throws when the change would lend or lose money. */
export function withOwn(channel: ChannelContext, ownEnd: ChannelEnd): ChannelContext {
  assertSound(ownEnd, channel.partnerEnd);
  return { ...channel, ownEnd };
}

function addLock(channel: ChannelContext, event: Stamped<AddLock>): ChannelStep {
  const next = withOwn(channel, withLock(channel.ownEnd, lockOf(channel, event)));
  return { patch: next, effects: lockAdded(next, event) };
}

export function refuseLock({ from }: AddLock | ForwardLock, refusal: Refusal): ChannelStep {
  const { code, detail } = refusal;
  const event = { type: 'actor.lockRefused', code, detail } as const;
  return { patch: {}, effects: [{ type: 'notify', to: from, event }] };
}

/** The refusal of a lock with this code, which may also come from the runtime: see `Judged`. */
export const lockRefused = (code: Code): Refusal => ({ code, detail: LOCK_ADVICE[code] ?? '' });

const LOCK_ADVICE: Partial<Record<Code, string>> = {
  insufficient_balance: 'The channel cannot carry this amount: deposit more or pay less.',
  too_many_locks: 'Try again when some have ended.',
  invalid_timeout:
    'The lock timeout must be greater than the reveal timeout and not greater than the settle timeout.',
  unsafe_timeouts: UNSAFE_TIMEOUTS,
  partner_silent:
    'It has not acknowledged what was sent to it: try again when it does, or close the channel.',
  secret_used: 'A payment with this secret hash is pending: use another secret.',
  channel_not_open: 'Pay through another one, or open one when this is settled.',
  disk_full: 'No payment is begun until the database has room again: free some space on its disk.',
  chain_unavailable: 'What is known of the chain is out of date: try again when the node is ready.',
  insufficient_gas:
    'The account could not pay for the gas that protects another payment: send it some.',
};

function hasLock(channel: ChannelContext, event: DoUnlock | ExpireLock): boolean {
  return findLock(channel.ownEnd, event.secrethash) !== undefined;
}

function unlock(channel: ChannelContext, event: DoUnlock): ChannelStep {
  const lock = lockIn(channel.ownEnd, event.secrethash);
  const unlocked = withOwn(channel, withUnlocked(channel.ownEnd, lock));
  const next = forgetOwn(forget(unlocked, event.secrethash), event.secrethash);
  return { patch: next, effects: lockUnlocked(next, event, lock) };
}

function expireLock(channel: ChannelContext, event: ExpireLock): ChannelStep {
  const lock = lockIn(channel.ownEnd, event.secrethash);
  const expired = withOwn(channel, withoutLock(channel.ownEnd, lock));
  const next = forgetOwn(forget(expired, event.secrethash), event.secrethash);
  return { patch: next, effects: lockExpired(next, lock) };
}

function noteRegistered(channel: ChannelContext, event: SecretRegistered): ChannelStep {
  const { registered } = channel;
  const isNew = !registered.includes(event.secrethash) && isPending(channel, event.secrethash);
  return {
    patch: { registered: isNew ? [...registered, event.secrethash] : registered },
    effects: [],
  };
}

/** The lock that no payment actor looks after, if it is still pending in the channel. */
function unansweredLock(
  { ownEnd, partnerEnd }: ChannelContext,
  { side, secrethash }: Unanswered,
): Lock | undefined {
  return findLock(side === 'own' ? ownEnd : partnerEnd, secrethash);
}

function giveKeeper(channel: ChannelContext, event: Unanswered): ChannelStep {
  const lock = unansweredLock(channel, event);
  return { patch: {}, effects: lock === undefined ? [] : [unexplainedLock(channel, lock, event)] };
}

/**
 * After a lock is gone: forgets that its secret was registered, unless either side still has a lock of that
 * secrethash.
 */
export function forget(channel: ChannelContext, secrethash: Hash): ChannelContext {
  const isKept = channel.registered.length === 0 || isPending(channel, secrethash);
  return isKept
    ? channel
    : { ...channel, registered: channel.registered.filter((hash) => hash !== secrethash) };
}

const isPending = ({ ownEnd, partnerEnd }: ChannelContext, secrethash: Hash): boolean =>
  findLock(ownEnd, secrethash) !== undefined || findLock(partnerEnd, secrethash) !== undefined;

/** A lock of this node is gone: it no longer counts for the payer whose transfer it passed on. */
function forgetOwn(channel: ChannelContext, secrethash: Hash): ChannelContext {
  const { forwarded } = channel;
  const isPassedOn = forwarded.some((one) => one.secrethash === secrethash);
  return isPassedOn
    ? { ...channel, forwarded: forwarded.filter((one) => one.secrethash !== secrethash) }
    : channel;
}

function envelope(channel: ChannelContext) {
  const { chainId, tokenNetwork, channelId, ownEnd } = channel;
  return { chainId, tokenNetwork, channelId, ...proofAmounts(ownEnd) };
}

function send(channel: ChannelContext, message: Send['message'], giver?: Address): Effect {
  const key = `${channel.id}:${channel.ownEnd.nonce}`;
  return {
    type: 'send.message',
    key,
    to: channel.partner,
    queue: channel.id,
    ...(giver === undefined ? {} : { giver }),
    message,
  };
}

/** After our lock was added: stores the step, sends it, and tells the payment actor. */
function lockAdded(channel: ChannelContext, event: AddLock): Effect[] {
  const { expiration } = lockIn(channel.ownEnd, event.secrethash);
  const told = { type: 'actor.lockAdded', expiration } as const;
  return [...lockSigned(channel, event), { type: 'notify', to: event.from, event: told }];
}

export type SignedFor = Pick<
  AddLock,
  'secrethash' | 'paymentId' | 'initiator' | 'target' | 'metadata'
>;

/**
 * Stores the step that added our lock, and sends the transfer that tells the partner of it. `giver`: the partner whose
 * transfer it passes on; absent: the lock is for a payment of this node.
 */
export function lockSigned(
  channel: ChannelContext,
  signedFor: SignedFor,
  giver?: Address,
): Effect[] {
  const { secrethash, paymentId, initiator, target, metadata } = signedFor;
  const lock = lockIn(channel.ownEnd, secrethash);
  const message = {
    type: 'LockedTransfer',
    ...envelope(channel),
    paymentId,
    token: channel.token,
    recipient: channel.partner,
    target,
    initiator,
    lock,
    metadata,
  } as const;
  return [
    proofRecord(channel.id, channel.ownEnd, { kind: 'add', lock }, null),
    send(channel, message, giver),
  ];
}

/** After our lock was paid. `lock` is the one that was removed from the channel. */
function lockUnlocked(channel: ChannelContext, event: DoUnlock, lock: Lock): Effect[] {
  const { paymentId, secret } = event;
  return [
    proofRecord(channel.id, channel.ownEnd, { kind: 'remove', lock }, null),
    send(channel, { type: 'Unlock', ...envelope(channel), paymentId, secret }),
  ];
}

/** After our lock has expired. */
function lockExpired(channel: ChannelContext, lock: Lock): Effect[] {
  const { secrethash } = lock;
  return [
    proofRecord(channel.id, channel.ownEnd, { kind: 'remove', lock }, null),
    send(channel, {
      type: 'LockExpired',
      ...envelope(channel),
      recipient: channel.partner,
      secrethash,
    }),
  ];
}

export const guards = {
  canLock: when((channel, event) => lockRefusal(channel, event) === null, 'actor.addLock'),
  hasLock: when(hasLock, 'actor.unlock', 'actor.expireLock'),
  isUnanswered: when(
    (channel, event) => unansweredLock(channel, event) !== undefined,
    'actor.unanswered',
  ),
};

export const actions = {
  addLock: on(addLock, 'actor.addLock'),
  unlock: on(unlock, 'actor.unlock'),
  expireLock: on(expireLock, 'actor.expireLock'),
  noteRegistered: on(noteRegistered, 'actor.secretRegistered'),
  giveKeeper: on(giveKeeper, 'actor.unanswered'),
};
