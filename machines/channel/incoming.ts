/**
 * Updates of the partner: each is applied as a whole, acknowledged again, answered with what is held, or refused with a
 * reason and the place of the change that is wrong. Protocol 4.1 and 4.2.
 */

import type { Hash } from '../../src/basics/hex.ts';
import type { ChannelEnd } from '../../src/protocol/channel/channel-end.ts';
import {
  assertSound,
  distributable,
  findLock,
  proofAmounts,
} from '../../src/protocol/channel/channel-end.ts';
import { receiverRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import type { Lock } from '../../src/protocol/channel/lock.ts';
import { MAX_PENDING_LOCKS } from '../../src/protocol/channel/lock.ts';
import type {
  Change,
  ExpiredChange,
  LockChange,
  RefundChange,
} from '../../src/protocol/messages/changes.ts';
import { only } from '../base/step.ts';
import type { Effect, WrongMessage } from '../effects.ts';
import type { ChangeFacts, UpdateReceived } from '../events/messages.ts';
import type { Stamped } from '../events/stamps.ts';
import { heldLock } from '../keeper/keeping.ts';
import { changedEnd, partnerProofOf, proofRecord, signedChange } from './changes.ts';
import { acknowledgeAgain } from './consents.ts';
import { type ChannelContext, type ChannelStep, on } from './context.ts';
import { forget } from './locks.ts';
import { mediating } from './mediation.ts';
import { LOCK_GONE, tellPayee, tellPayer, unlocked } from './notices.ts';
import { tellHeld } from './sync.ts';
import { revealTimeoutFor } from './timeouts.ts';

/** A change that may be made: the lock that it adds or removes, and the partner's side after it. */
type Applied = { change: Change; facts: ChangeFacts; lock: Lock; end: ChannelEnd };
/** `place`: of the change that is wrong, from 1; null: it is none of them. */
type Wrong = { reason: WrongMessage; place: number | null };

/** What becomes of an Update: never a part of it. */
type Taken =
  | { kind: 'applied'; end: ChannelEnd; steps: readonly Applied[] }
  /** It was applied before, and only its acknowledgement was lost. */
  | { kind: 'repeated' }
  /** It does not follow from what this side holds: an Update before it must have been lost. */
  | { kind: 'ahead' }
  | ({ kind: 'refused' } & Wrong);

/** Checks an Update against everything that is known; nothing is taken on trust. */
export function take(channel: ChannelContext, event: Stamped<UpdateReceived>): Taken {
  const { sender, message } = event;
  const { nonce } = channel.partnerEnd;
  if (sender !== channel.partner)
    return { kind: 'refused', reason: 'signed by a stranger', place: null };
  if (message.nonce <= nonce) return { kind: 'repeated' };
  const taken = check(channel, event);
  // Nonces may be left out: withdraw messages use them, see withdraws.ts.
  return taken.kind === 'refused' && message.nonce > nonce + 1n ? { kind: 'ahead' } : taken;
}

function check(channel: ChannelContext, event: Stamped<UpdateReceived>): Taken {
  const { message } = event;
  if (message.chainId !== channel.chainId || message.tokenNetwork !== channel.tokenNetwork)
    return { kind: 'refused', reason: 'for another token network', place: null };
  const steps = stepsOf(channel, event);
  if ('reason' in steps) return { kind: 'refused', ...steps };
  const end = { ...(steps.at(-1)?.end ?? channel.partnerEnd), nonce: message.nonce };
  const expected = proofAmounts(end);
  const matches =
    steps.length > 0 &&
    message.transferredAmount === expected.transferredAmount &&
    message.lockedAmount === expected.lockedAmount &&
    message.locksroot === expected.locksroot;
  return matches
    ? { kind: 'applied', end, steps }
    : { kind: 'refused', reason: 'amounts or locksroot do not follow', place: null };
}

/** The changes, each with what the ones before it leave; or the first that is wrong. */
function stepsOf(channel: ChannelContext, event: Stamped<UpdateReceived>): Applied[] | Wrong {
  const steps: Applied[] = [];
  const hashes = new Set<Hash>();
  const { own, partner, token, ownEnd, registered, confirmations } = channel;
  let now: Judged = channel;
  for (const [index, change] of event.message.changes.entries()) {
    const place = index + 1;
    const facts = event.facts[index];
    if (facts === undefined) throw new Error('channel: a change without its facts');
    const found = lockOf(now, { change, facts, nowBlock: event.nowBlock });
    if (typeof found === 'string') return { reason: found, place };
    if (hashes.has(found.secrethash)) return { reason: 'two changes of one lock', place };
    hashes.add(found.secrethash);
    const end = changedEnd(now.partnerEnd, change, found);
    steps.push({ change, facts, lock: found, end });
    now = { own, partner, token, ownEnd, registered, confirmations, partnerEnd: end };
  }
  return steps;
}

/** What a change is judged by; to copy the whole context for each takes longer than all else that is done for it. */
type Judged = Pick<
  ChannelContext,
  'own' | 'partner' | 'token' | 'ownEnd' | 'partnerEnd' | 'registered' | 'confirmations'
>;
type Asked = { change: Change; facts: ChangeFacts; nowBlock: bigint };

/** The lock that the change adds or removes, or why it may not. */
function lockOf(channel: Judged, { change, facts, nowBlock }: Asked): Lock | WrongMessage {
  switch (change.type) {
    case 'lock':
      return newLock(channel, change);
    case 'refund':
      return refundedLock(channel, change, only(facts, 'refund').sent);
    case 'unlock': {
      const { secrethash } = only(facts, 'unlock');
      return findLock(channel.partnerEnd, secrethash) ?? 'no lock for this secret';
    }
    case 'expired':
      return expiredLock(channel, change, nowBlock);
  }
}

function newLock(
  { partnerEnd, ownEnd, own, token }: Judged,
  change: LockChange | RefundChange,
): Lock | WrongMessage {
  const { lock } = change;
  if (change.recipient !== own || change.token !== token) return 'for another recipient or token';
  if (lock.amount <= 0n) return 'lock without an amount';
  if (partnerEnd.locks.length >= MAX_PENDING_LOCKS) return 'too many locks';
  if (findLock(partnerEnd, lock.secrethash)) return 'secrethash is pending';
  return lock.amount > distributable(partnerEnd, ownEnd) ? 'more than the partner has' : lock;
}

/** A refund: the partner gives a transfer of ours back by a lock of its own. It has to give back the whole amount. */
function refundedLock(
  channel: Judged,
  change: RefundChange,
  sent: Extract<ChangeFacts, { type: 'refund' }>['sent'],
): Lock | WrongMessage {
  const { lock, paymentId, target } = change;
  const ours = findLock(channel.ownEnd, lock.secrethash);
  if (ours === undefined || sent === null) return 'gives back what was not sent';
  const isSame =
    ours.amount === lock.amount &&
    ours.expiration === lock.expiration &&
    sent.paymentId === paymentId &&
    sent.target === target;
  if (!isSame) return 'gives back something else';
  return target === channel.partner ? 'given back by the target' : newLock(channel, change);
}

function expiredLock(
  channel: Judged,
  { secrethash, recipient }: ExpiredChange,
  nowBlock: bigint,
): Lock | WrongMessage {
  const lock = findLock(channel.partnerEnd, secrethash);
  if (lock === undefined) return 'no such lock';
  if (recipient !== channel.own) return 'for another recipient';
  if (channel.registered.includes(secrethash)) return 'the secret was registered in time';
  return nowBlock < receiverRemovalBlock(lock.expiration, channel.confirmations)
    ? 'not expired yet'
    : lock;
}

function takeUpdate(channel: ChannelContext, event: Stamped<UpdateReceived>): ChannelStep {
  const taken = take(channel, event);
  switch (taken.kind) {
    case 'applied':
      return applied(channel, event, taken);
    case 'repeated':
      return acknowledgeAgain(channel, event);
    case 'ahead':
      return tellHeld(channel);
    case 'refused': {
      const { reason, place: change } = taken;
      return { patch: {}, effects: [{ type: 'report.refused', reason, change }] };
    }
  }
}

/** All changes are made: the proof is kept and acknowledged, and the actors concerned are told in the order of changes. */
function applied(
  channel: ChannelContext,
  event: Stamped<UpdateReceived>,
  { end, steps }: Extract<Taken, { kind: 'applied' }>,
): ChannelStep {
  assertSound(channel.ownEnd, end);
  const { message, nowBlock } = event;
  const partnerProof = partnerProofOf(message, event.signature);
  let next: ChannelContext = { ...channel, partnerEnd: end, partnerProof };
  for (const { lock } of steps) next = forget(next, lock.secrethash);
  const locks = steps.map(({ change, lock }) => signedChange(change, lock));
  const effects: Effect[] = [
    proofRecord(channel.id, end, locks, partnerProof),
    { type: 'send.processed', to: channel.partner, messageId: message.messageId },
    // What each change means depends on the side as this change leaves it, not on the changes after it.
    ...steps.flatMap((step) => consequence({ ...next, partnerEnd: step.end }, step, nowBlock)),
  ];
  return { patch: { partnerEnd: end, partnerProof, registered: next.registered }, effects };
}

function consequence(
  channel: ChannelContext,
  { change, facts, lock: { secrethash } }: Applied,
  nowBlock: bigint,
): Effect[] {
  switch (change.type) {
    case 'lock':
      return payeeEffects(channel, change, { nowBlock, ...only(facts, 'lock') });
    case 'refund':
      return [...tellPayer(channel, secrethash), heldLock(channel, change)];
    case 'unlock':
      return tellPayee(channel, secrethash, unlocked(change.secret));
    case 'expired':
      return tellPayee(channel, secrethash, LOCK_GONE);
  }
}

type LockFacts = Stamped<Extract<ChangeFacts, { type: 'lock' }>>;

/** Spawns the payment actor of a lock: a payment to this node itself, or one that it passes on to the next hop. */
function payeeEffects(channel: ChannelContext, change: LockChange, facts: LockFacts): Effect[] {
  if (change.target === channel.own) return [receiving(channel, change, facts)];
  const passedOn = mediating(channel, change, facts);
  // A lock that cannot be passed on is held until it expires.
  return passedOn.length > 0 ? passedOn : [heldLock(channel, change)];
}

function receiving(
  channel: ChannelContext,
  change: LockChange,
  { nowBlock, secret }: LockFacts,
): Effect {
  const { initiator, lock, paymentId } = change;
  const { own, confirmations, partner, token, tokenNetwork } = channel;
  const revealTimeout = revealTimeoutFor(channel, lock, nowBlock);
  const facts = { own, confirmations, revealTimeout, token, tokenNetwork, initiator, paymentId };
  const id = `target:${lock.secrethash}`;
  const input = { id, ...facts, ...lock, channel: channel.id, payer: partner, nowBlock, secret };
  const taken = { type: 'spawn.target', id, input } as const;
  return { type: 'judge.lock', taken };
}

export const actions = { takeUpdate: on(takeUpdate, 'msg.update') };
