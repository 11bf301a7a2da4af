/** What a channel does with locks: the checks, and the steps that they allow. Protocol 4.1 and 4.2. */
import { balanceHash } from '../../src/protocol/balance-proof.ts';
import {
  type ChannelEnd,
  distributable,
  findLock,
  proofAmounts,
  withLock,
  withoutLock,
  withUnlocked,
} from '../../src/protocol/channel-end.ts';
import type { Code } from '../../src/protocol/codes.ts';
import {
  isLockTimeoutAllowed,
  lockExpiration,
  receiverRemovalBlock,
} from '../../src/protocol/expiration.ts';
import { type Hash, type Hex, toHex } from '../../src/protocol/hex.ts';
import { encodeLock, type Lock, MAX_PENDING_LOCKS } from '../../src/protocol/lock.ts';
import { additionalHash } from '../../src/protocol/message-hash.ts';
import type { EnvelopeMessage } from '../../src/protocol/messages/table.ts';
import type { PartnerProof, RecordProof } from '../effects.ts';
import type {
  LockExpiredReceived,
  LockedTransferReceived,
  RefundTransferReceived,
  UnlockReceived,
} from '../events/messages.ts';
import type { AddLock } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import type { ChannelContext } from './context.ts';
import { leastReveal, revealTimeoutInForce, timeoutsRefusal } from './timeouts.ts';

/** Why no lock can be added now, or null. */
export function lockRefusal(
  channel: ChannelContext,
  event: Pick<AddLock, 'amount' | 'secrethash' | 'lockTimeout' | 'refusal'>,
): Code | null {
  const { amount, secrethash, refusal } = event;
  if (refusal !== undefined) return refusal;
  const lockTimeout = event.lockTimeout ?? 2n * revealTimeoutInForce(channel);
  return refusalOf(channel, { amount, secrethash, lockTimeout });
}

/** The same for a lock that ends `lockTimeout` blocks from now. */
export function refusalOf(
  channel: ChannelContext,
  asked: { amount: bigint; secrethash: Hash; lockTimeout: bigint },
): Code | null {
  const { ownEnd, partnerEnd, settleTimeout } = channel;
  const { amount, secrethash, lockTimeout } = asked;
  const unsafe = timeoutsRefusal(channel);
  if (unsafe !== null) return unsafe;
  const revealTimeout = revealTimeoutInForce(channel);
  if (!isLockTimeoutAllowed(lockTimeout, revealTimeout, settleTimeout)) return 'invalid_timeout';
  if (ownEnd.locks.length >= MAX_PENDING_LOCKS) return 'too_many_locks';
  if (findLock(ownEnd, secrethash) !== undefined) return 'secret_used';
  if (amount > distributable(ownEnd, partnerEnd)) return 'insufficient_balance';
  return null;
}

/** The lock that `event` asks for; its expiration counts from the newest confirmed block. */
export function lockOf(channel: ChannelContext, event: Stamped<AddLock>): Lock {
  return {
    amount: event.amount,
    secrethash: event.secrethash,
    expiration: lockExpiration(event.nowBlock, revealTimeoutInForce(channel), event.lockTimeout),
  };
}

/**
 * The blocks that this node reserves to register the secret of a lock that is for itself. Where nobody here
 * has chosen a reveal timeout, a lock that the payer made shorter is taken on with half of its time, but never
 * with less than what is safe. In a channel that takes no locks it is all of the lock's time, and for a lock
 * that no sender may give for so long: it is held until it expires, and nothing is asked or revealed for it.
 */
export function revealTimeoutFor(channel: ChannelContext, lock: Lock, nowBlock: bigint): bigint {
  // Else a payer could keep the room for registrations full for as long as it likes.
  const isTooLong = lock.expiration - nowBlock > channel.settleTimeout + leastReveal(channel);
  if (isTooLong || timeoutsRefusal(channel) !== null) return lock.expiration;
  const revealTimeout = revealTimeoutInForce(channel);
  const half = (lock.expiration - nowBlock) / 2n;
  if (channel.isRevealChosen || half >= revealTimeout) return revealTimeout;
  const least = leastReveal(channel);
  return half > least ? half : least;
}

/** The lock of this side by its secrethash. Throws when there is none: ask `findLock` first. */
export function lockIn(end: ChannelEnd, secrethash: Hash): Lock {
  const lock = findLock(end, secrethash);
  if (lock === undefined) throw new Error('channel: no such lock');
  return lock;
}

/** The partner's side as it stands after the message, or why the message is wrong. */
type Step = { ok: true; end: ChannelEnd; lock: Lock } | { ok: false; reason: string };
/** The messages that carry a balance proof. */
export type Incoming =
  | LockedTransferReceived
  | RefundTransferReceived
  | UnlockReceived
  | LockExpiredReceived;

// The guard and the action both ask; hashing all pending locks twice would be most of the work.
const checked = new WeakMap<Stamped<Incoming>, { channel: ChannelContext; step: Step }>();

/** Checks a balance-proof message against everything that is known; nothing is taken on trust. */
export function incomingStep(channel: ChannelContext, event: Stamped<Incoming>): Step {
  const before = checked.get(event);
  if (before?.channel === channel) return before.step;
  const step = check(channel, event);
  checked.set(event, { channel, step });
  return step;
}

function check(channel: ChannelContext, event: Stamped<Incoming>): Step {
  const { message } = event;
  if (event.sender !== channel.partner) return { ok: false, reason: 'signed by a stranger' };
  if (message.chainId !== channel.chainId || message.tokenNetwork !== channel.tokenNetwork)
    return { ok: false, reason: 'for another token network' };
  // Withdraw messages may lie between: see channel-withdraws.ts.
  if (message.nonce <= channel.partnerEnd.nonce) return { ok: false, reason: 'old nonce' };
  const step = stepFor(channel, event);
  if (!step.ok) return step;
  const claimed = { ...step.end, nonce: message.nonce };
  const expected = proofAmounts(claimed);
  const matches =
    message.transferredAmount === expected.transferredAmount &&
    message.lockedAmount === expected.lockedAmount &&
    message.locksroot === expected.locksroot;
  return matches
    ? { ...step, end: claimed }
    : { ok: false, reason: 'amounts or locksroot do not follow' };
}

function stepFor(channel: ChannelContext, event: Stamped<Incoming>): Step {
  switch (event.type) {
    case 'msg.lockedTransfer':
      return transferStep(channel, event);
    case 'msg.refundTransfer':
      return refundStep(channel, event);
    case 'msg.unlock':
      return unlockStep(channel, event);
    case 'msg.lockExpired':
      return expiredStep(channel, event);
  }
}

function transferStep(
  channel: ChannelContext,
  event: LockedTransferReceived | RefundTransferReceived,
): Step {
  const { partnerEnd, ownEnd } = channel;
  const { lock, recipient, token } = event.message;
  if (recipient !== channel.own || token !== channel.token)
    return { ok: false, reason: 'for another recipient or token' };
  if (lock.amount <= 0n) return { ok: false, reason: 'lock without an amount' };
  if (partnerEnd.locks.length >= MAX_PENDING_LOCKS) return { ok: false, reason: 'too many locks' };
  if (findLock(partnerEnd, lock.secrethash)) return { ok: false, reason: 'secrethash is pending' };
  if (lock.amount > distributable(partnerEnd, ownEnd))
    return { ok: false, reason: 'more than the partner has' };
  return { ok: true, end: withLock(partnerEnd, lock), lock };
}

/** A lock against one of ours, for the same payment: whoever gives a transfer back gives all of it. */
function refundStep(channel: ChannelContext, event: RefundTransferReceived): Step {
  const { lock, paymentId, target } = event.message;
  const ours = findLock(channel.ownEnd, lock.secrethash);
  if (ours === undefined || event.sent === null)
    return { ok: false, reason: 'gives back what was not sent' };
  const isSame =
    ours.amount === lock.amount &&
    ours.expiration === lock.expiration &&
    event.sent.paymentId === paymentId &&
    event.sent.target === target;
  if (!isSame) return { ok: false, reason: 'gives back something else' };
  if (target === channel.partner) return { ok: false, reason: 'given back by the target' };
  return transferStep(channel, event);
}

function unlockStep(channel: ChannelContext, event: UnlockReceived): Step {
  const lock = findLock(channel.partnerEnd, event.secrethash);
  if (lock === undefined) return { ok: false, reason: 'no lock for this secret' };
  return { ok: true, end: withUnlocked(channel.partnerEnd, lock), lock };
}

function expiredStep(channel: ChannelContext, event: Stamped<LockExpiredReceived>): Step {
  const { secrethash, recipient } = event.message;
  const lock = findLock(channel.partnerEnd, secrethash);
  if (lock === undefined) return { ok: false, reason: 'no such lock' };
  if (recipient !== channel.own) return { ok: false, reason: 'for another recipient' };
  if (channel.registered.includes(secrethash))
    return { ok: false, reason: 'the secret was registered in time' };
  if (event.nowBlock < receiverRemovalBlock(lock.expiration, channel.confirmations))
    return { ok: false, reason: 'not expired yet' };
  return { ok: true, end: withoutLock(channel.partnerEnd, lock), lock };
}

/** Whether the message was applied before and only its acknowledgement was lost. */
export function isRepeated(channel: ChannelContext, event: Incoming): boolean {
  return event.sender === channel.partner && event.message.nonce <= channel.partnerEnd.nonce;
}

/** What of an accepted message brings it on chain. */
export function partnerProofOf(message: EnvelopeMessage, signature: Hex): PartnerProof {
  return {
    nonce: message.nonce,
    balanceHash: balanceHash(message),
    additionalHash: additionalHash(message),
    signature,
  };
}

/** The row that keeps one signed step of either side. */
export function proofRecord(
  channel: string,
  end: ChannelEnd,
  change: { kind: 'add' | 'remove'; lock: Lock },
  proof: PartnerProof | null,
): RecordProof {
  const amounts = proofAmounts(end);
  const { kind, lock } = change;
  return {
    type: 'record.proof',
    channel,
    side: proof === null ? 'own' : 'partner',
    ...amounts,
    balanceHash: proof?.balanceHash ?? balanceHash(amounts),
    change: { kind, lock: toHex(encodeLock(lock)), secrethash: lock.secrethash },
    additionalHash: proof?.additionalHash ?? null,
    signature: proof?.signature ?? null,
  };
}
