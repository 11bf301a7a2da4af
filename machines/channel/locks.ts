/**
 * Locks that this node makes in a channel: when one may be made, how it is paid or taken away, and how all that has
 * changed is signed. Protocol 4.2 to 4.5.
 */

import type { Address, Hash } from '../../src/basics/hex.ts';
import {
  type ChannelEnd,
  distributable,
  findLock,
  proofAmounts,
} from '../../src/protocol/channel/channel-end.ts';
import { isLockTimeoutAllowed, lockExpiration } from '../../src/protocol/channel/expiration.ts';
import { type Lock, MAX_PENDING_LOCKS } from '../../src/protocol/channel/lock.ts';
import type { Code } from '../../src/protocol/codes.ts';
import type { Change } from '../../src/protocol/messages/changes.ts';
import { inParts, type Part } from '../../src/protocol/messages/update.ts';
import type { Effect, GivenBytes } from '../effects.ts';
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
import { changedEnd, proofRecord, signedChange, signLater, withChange } from './changes.ts';
import {
  type ActorRefusal,
  type ChannelContext,
  type ChannelStep,
  type Checked,
  type MadeChange,
  on,
  onAny,
  when,
} from './context.ts';
import { revealTimeoutInForce, timeoutsRefusal, UNSAFE_TIMEOUTS } from './timeouts.ts';

/** Why no lock can be added now, or null. */
export function lockRefusal(
  channel: ChannelContext,
  event: Pick<AddLock, 'amount' | 'secrethash' | 'lockTimeout' | 'refusal'>,
): ActorRefusal | null {
  const { amount, secrethash, refusal } = event;
  if (refusal !== undefined) return lockRefused(refusal);
  const lockTimeout = event.lockTimeout ?? 2n * revealTimeoutInForce(channel);
  return refusalOf(channel, { amount, secrethash, lockTimeout });
}

/** The same for a lock that ends `lockTimeout` blocks from now. */
export function refusalOf(
  channel: ChannelContext,
  asked: { amount: bigint; secrethash: Hash; lockTimeout: bigint },
): ActorRefusal | null {
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
function lockIn(end: ChannelEnd, secrethash: Hash): Lock {
  const lock = findLock(end, secrethash);
  if (lock === undefined) throw new Error('channel: no such lock');
  return lock;
}

function addLock(channel: ChannelContext, event: Stamped<AddLock>): ChannelStep {
  const lock = lockOf(channel, event);
  const next = withChange(channel, lockMade(channel, event, lock));
  const { ownEnd, unsigned } = next;
  const told = { type: 'actor.lockAdded', expiration: lock.expiration } as const;
  return {
    patch: { ownEnd, unsigned },
    effects: [...signLater(next), { type: 'notify', to: event.from, event: told }],
  };
}

type LockedFor = Pick<AddLock, 'paymentId' | 'initiator' | 'target' | 'metadata'>;

/**
 * The change that adds our lock, and tells the partner of the transfer. `giver`: the partner whose transfer it passes on;
 * null: the lock is for a payment of this node.
 */
export function lockMade(
  { token, partner: recipient }: ChannelContext,
  { paymentId, initiator, target, metadata }: LockedFor,
  lock: Lock,
  giver: Address | null = null,
): MadeChange {
  const transfer = { paymentId, token, recipient, target, initiator, lock, metadata };
  return { change: { type: 'lock', ...transfer }, lock, giver };
}

export function refuseLock({ from }: AddLock | ForwardLock, refusal: ActorRefusal): ChannelStep {
  const { code, detail } = refusal;
  const event = { type: 'actor.lockRefused', code, detail } as const;
  return { patch: {}, effects: [{ type: 'notify', to: from, event }] };
}

/** The refusal of a lock with this code, which may also come from the runtime: see `Judged`. */
export const lockRefused = (code: Code): ActorRefusal => ({
  code,
  detail: LOCK_ADVICE[code] ?? '',
});

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
  const { paymentId, secret, secrethash } = event;
  return lockEnded(channel, secrethash, { type: 'unlock', paymentId, secret });
}

function expireLock(channel: ChannelContext, { secrethash }: ExpireLock): ChannelStep {
  const recipient = channel.partner;
  return lockEnded(channel, secrethash, { type: 'expired', secrethash, recipient });
}

/** Our lock is gone by this change. */
function lockEnded(channel: ChannelContext, secrethash: Hash, change: Change): ChannelStep {
  const lock = lockIn(channel.ownEnd, secrethash);
  const changed = withChange(channel, { change, lock, giver: null });
  const next = forgetOwn(forget(changed, secrethash), secrethash);
  const { ownEnd, unsigned, registered, forwarded } = next;
  return { patch: { ownEnd, unsigned, registered, forwarded }, effects: signLater(next) };
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

/** Signs the changes that are not signed yet: one balance proof, one row and one message for each Update. */
function sign(channel: ChannelContext): ChannelStep {
  const { unsigned } = channel;
  if (unsigned === null) return { patch: {}, effects: [] };
  const effects: Effect[] = [];
  let ownEnd = unsigned.before;
  for (const part of inParts(unsigned.changes)) {
    for (const { made } of part) ownEnd = changedEnd(ownEnd, made.change, made.lock);
    ownEnd = { ...ownEnd, nonce: ownEnd.nonce + 1n };
    effects.push(...signed({ ...channel, ownEnd }, part));
  }
  const { transferred, locked, locks } = channel.ownEnd;
  if (
    ownEnd.transferred !== transferred ||
    ownEnd.locked !== locked ||
    ownEnd.locks.length !== locks.length
  )
    throw new Error('channel: signs something else than what it holds');
  // Deposits and withdrawals are not signed with the changes, and may have come in between.
  return { patch: { ownEnd: { ...channel.ownEnd, nonce: ownEnd.nonce }, unsigned: null }, effects };
}

function signed(channel: ChannelContext, part: Part<MadeChange>): Effect[] {
  const { id, chainId, tokenNetwork, channelId, ownEnd, partner } = channel;
  const steps = part.map(({ made }) => signedChange(made.change, made.lock));
  const changes = part.map(({ made }) => made.change);
  const givers = part.flatMap(({ made: { giver }, bytes }): GivenBytes[] =>
    giver === null ? [] : [{ giver, bytes }],
  );
  const numbers = { chainId, tokenNetwork, channelId, ...proofAmounts(ownEnd) };
  return [
    proofRecord(id, ownEnd, steps, null),
    {
      type: 'send.message',
      key: `${id}:${ownEnd.nonce}`,
      to: partner,
      queue: id,
      ...(givers.length === 0 ? {} : { givers }),
      message: { type: 'Update', ...numbers, changes },
    },
  ];
}

export const guards = {
  canLock: when((channel, event) => lockRefusal(channel, event) === null, 'actor.addLock'),
  hasUnsigned: ({ context }: Checked) => context.unsigned !== null,
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
  sign: onAny(sign),
  noteRegistered: on(noteRegistered, 'actor.secretRegistered'),
  giveKeeper: on(giveKeeper, 'actor.unanswered'),
};
