/**
 * Locks of the partner: each of its balance-proof messages is applied, acknowledged again, answered with what is held, or
 * refused with a reason. Protocol 4.1 and 4.2.
 */

import type { ChannelEnd } from '../../src/protocol/channel/channel-end.ts';
import {
  assertSound,
  distributable,
  findLock,
  proofAmounts,
  withLock,
  withoutLock,
  withUnlocked,
} from '../../src/protocol/channel/channel-end.ts';
import { receiverRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import type { Lock } from '../../src/protocol/channel/lock.ts';
import { MAX_PENDING_LOCKS } from '../../src/protocol/channel/lock.ts';
import type { Effect, WrongMessage } from '../effects.ts';
import type {
  LockExpiredReceived,
  LockedTransferReceived,
  RefundTransferReceived,
  UnlockReceived,
} from '../events/messages.ts';
import type { Stamped } from '../events/stamps.ts';
import { heldLock } from '../keeper/keeping.ts';
import { acknowledgeAgain } from './consents.ts';
import { type ChannelContext, type ChannelEvent, type ChannelStep, on } from './context.ts';
import { forget } from './locks.ts';
import { mediating } from './mediation.ts';
import { LOCK_GONE, tellPayee, tellPayer, unlocked } from './notices.ts';
import { partnerProofOf, proofRecord } from './proofs.ts';
import { tellHeld } from './sync.ts';
import { revealTimeoutFor } from './timeouts.ts';

/** The partner's side as it stands after the message, or why the message is wrong. */
type Step = { ok: true; end: ChannelEnd; lock: Lock } | { ok: false; reason: WrongMessage };

/** What becomes of a message that carries a balance proof. */
type Taken =
  | { kind: 'applied'; end: ChannelEnd; lock: Lock }
  /** It was applied before, and only its acknowledgement was lost. */
  | { kind: 'repeated' }
  /** It does not follow from what this side holds: a balance proof before it must have been lost. */
  | { kind: 'ahead' }
  | { kind: 'refused'; reason: WrongMessage };

/** The messages that carry a balance proof. */
const INCOMING = [
  'msg.lockedTransfer',
  'msg.refundTransfer',
  'msg.unlock',
  'msg.lockExpired',
] as const;
type Incoming = Extract<ChannelEvent, { type: (typeof INCOMING)[number] }>;

/** Checks a balance-proof message against everything that is known; nothing is taken on trust. */
export function take(channel: ChannelContext, event: Stamped<Incoming>): Taken {
  if (isRepeated(channel, event)) return { kind: 'repeated' };
  const step = check(channel, event);
  if (step.ok) return { kind: 'applied', end: step.end, lock: step.lock };
  return isAfterGap(channel, event) ? { kind: 'ahead' } : { kind: 'refused', reason: step.reason };
}

function isRepeated(channel: ChannelContext, event: Incoming): boolean {
  return event.sender === channel.partner && event.message.nonce <= channel.partnerEnd.nonce;
}

function isAfterGap(channel: ChannelContext, event: Incoming): boolean {
  return event.sender === channel.partner && event.message.nonce > channel.partnerEnd.nonce + 1n;
}

function check(channel: ChannelContext, event: Stamped<Incoming>): Step {
  const { message } = event;
  if (event.sender !== channel.partner) return { ok: false, reason: 'signed by a stranger' };
  if (message.chainId !== channel.chainId || message.tokenNetwork !== channel.tokenNetwork)
    return { ok: false, reason: 'for another token network' };
  // The nonce is new. Some may be left out: withdraw messages use them, see withdraws.ts.
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

/** A refund: the partner gives a transfer of ours back by a lock of its own. It has to give back the whole amount. */
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

function takeIncoming(channel: ChannelContext, event: Stamped<Incoming>): ChannelStep {
  const taken = take(channel, event);
  switch (taken.kind) {
    case 'applied':
      return applied(channel, event, taken);
    case 'repeated':
      return acknowledgeAgain(channel, event);
    case 'ahead':
      return tellHeld(channel);
    case 'refused':
      return { patch: {}, effects: [{ type: 'report.refused', reason: taken.reason }] };
  }
}

type Applied = Extract<Taken, { kind: 'applied' }>;
function applied(
  channel: ChannelContext,
  event: Stamped<Incoming>,
  { end, lock }: Applied,
): ChannelStep {
  assertSound(channel.ownEnd, end);
  const partnerProof = partnerProofOf(event.message, event.signature);
  const next = forget({ ...channel, partnerEnd: end, partnerProof }, lock.secrethash);
  return { patch: next, effects: incomingApplied(next, event, lock) };
}

/** After a partner's message was applied: stores its proof, acknowledges it, and tells the actors concerned. */
function incomingApplied(channel: ChannelContext, event: Stamped<Incoming>, lock: Lock): Effect[] {
  const kind = 'lock' in event.message ? 'add' : 'remove';
  const proof = partnerProofOf(event.message, event.signature);
  return [
    proofRecord(channel.id, channel.partnerEnd, { kind, lock }, proof),
    { type: 'send.processed', to: channel.partner, messageId: event.message.messageId },
    ...consequence(channel, event),
  ];
}

function consequence(channel: ChannelContext, event: Stamped<Incoming>): Effect[] {
  switch (event.type) {
    case 'msg.lockedTransfer':
      return payeeEffects(channel, event);
    case 'msg.refundTransfer':
      return [
        ...tellPayer(channel, event.message.lock.secrethash),
        heldLock(channel, event.message),
      ];
    case 'msg.unlock':
      return tellPayee(channel, event.secrethash, unlocked(event.message.secret));
    case 'msg.lockExpired':
      return tellPayee(channel, event.message.secrethash, LOCK_GONE);
  }
}

/** Spawns the payment actor of a lock: a payment to this node itself, or one that it passes on to the next hop. */
function payeeEffects(channel: ChannelContext, event: Stamped<LockedTransferReceived>): Effect[] {
  const { message } = event;
  const taken =
    message.target === channel.own ? receiving(channel, event) : mediating(channel, event);
  // A lock that can neither be passed on nor accepted is held until it expires.
  return taken.length > 0 ? taken : [heldLock(channel, message)];
}

function receiving(channel: ChannelContext, event: Stamped<LockedTransferReceived>): Effect[] {
  if (event.refusal !== undefined) return [];
  const { initiator, lock, paymentId } = event.message;
  const { own, confirmations, partner: payer, token, tokenNetwork } = channel;
  const { nowBlock, secret } = event;
  const revealTimeout = revealTimeoutFor(channel, lock, nowBlock);
  const facts = { own, confirmations, revealTimeout, token, tokenNetwork, initiator, paymentId };
  const id = `target:${lock.secrethash}`;
  const input = { id, ...facts, ...lock, channel: channel.id, payer, nowBlock, secret };
  return [{ type: 'spawn.target', id, input }];
}

export const actions = { takeIncoming: on(takeIncoming, ...INCOMING) };
