/**
 * The payer's side: the secret is passed back to the payer, or registered on chain when waiting gets dangerous.
 * Protocol section 4.4.
 */

import type { Secret } from '../../src/basics/hex.ts';
import {
  dangerBlock,
  isSafeToWait,
  lateBlock,
  leastRevealTimeout,
} from '../../src/protocol/channel/expiration.ts';
import { charged, isPublicInTime, isRegisteredInTime, registration } from '../base/registering.ts';
import type { Effect } from '../effects.ts';
import type { RevealSecretReceived } from '../events/messages.ts';
import type { SettingsTold } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { type MediatorContext, type MediatorStep, on, onAny, when, woken } from './context.ts';

/** Whether the payee shows the secret so late that little time is left for the payer, and for those before it. */
function isLate(mediator: MediatorContext, nowBlock: bigint): boolean {
  return nowBlock >= lateBlock(mediator.nowBlock, unsafeBlock(mediator));
}

/**
 * Whether the payee is paid off chain for the secret that it shows: the payer's lock must leave time to wait for its
 * unlock. What is late may have been shown late on purpose, so that this node pays for a registration that no payer could
 * spare it: only so many of those are paid for.
 */
function isPayable(
  mediator: MediatorContext,
  { mayBeLate, nowBlock }: Stamped<RevealSecretReceived>,
): boolean {
  const { payer, expiration } = mediator;
  const isSafe = isSafeToWait(expiration, payer.revealTimeout, nowBlock);
  return isSafe && (mayBeLate || !isLate(mediator, nowBlock));
}

/** Counts the payment if the secret is late. */
function noteLate(mediator: MediatorContext, { nowBlock }: Stamped<object>): MediatorStep {
  return { patch: {}, effects: isLate(mediator, nowBlock) ? [{ type: 'record.late' }] : [] };
}

const revealKey = ({ id }: MediatorContext) => `reveal:${id}`;

/** Sends the secret to the payer, again and again until it unlocks. */
export function passBack(mediator: MediatorContext): Effect[] {
  const { secret, payer } = mediator;
  if (secret === null) return [];
  const message = { type: 'RevealSecret', secret } as const;
  const key = revealKey(mediator);
  return [{ type: 'send.message', key, to: payer.partner, queue: null, message }];
}

/** First block at which the payer's unlock can no longer be waited for. */
const unsafeBlock = ({ expiration, payer }: MediatorContext) =>
  dangerBlock(expiration, payer.revealTimeout);

/**
 * More confirmations than before leave less time: more blocks are reserved for registering the secret, and the
 * payer's side needs attention earlier.
 */
export function noteSettings(mediator: MediatorContext, { settings }: SettingsTold): MediatorStep {
  const { confirmations } = settings;
  const payer = {
    ...mediator.payer,
    revealTimeout: leastRevealTimeout(confirmations, mediator.payer.revealTimeout),
  };
  const next = { ...mediator, confirmations, payer };
  const { payerBlock } = mediator;
  const danger = unsafeBlock(next);
  if (payerBlock === null || payerBlock <= danger) return { patch: next, effects: [] };
  return { patch: woken(next, { payerBlock: danger }), effects: [] };
}

/** The payer has time to unlock: this node sends it the secret, and wakes up when waiting gets dangerous. */
function awaitUnlock(mediator: MediatorContext): MediatorStep {
  return {
    patch: woken(mediator, { payerBlock: unsafeBlock(mediator) }),
    effects: passBack(mediator),
  };
}

/** Registers the secret on chain. Until the transaction ends, the payer's side needs no attention. */
export function register(mediator: MediatorContext): MediatorStep {
  const { payer, secret } = mediator;
  if (secret === null) throw new Error('mediator: registers a secret that it does not know');
  const jobs = mediator.jobs + 1;
  return {
    patch: { ...woken(mediator, { payerBlock: null }), jobs },
    effects: [...charged(payer.partner, jobs), registration(mediator, secret, jobs)],
  };
}

function tryNextBlock(mediator: MediatorContext, { nowBlock }: Stamped<object>): MediatorStep {
  return { patch: woken(mediator, { payerBlock: nowBlock + 1n }), effects: [] };
}

/** Nothing more is to be done for the payer's side. */
function restPayer(mediator: MediatorContext): MediatorStep {
  return {
    patch: woken(mediator, { payerBlock: null }),
    effects: [{ type: 'done.message', key: revealKey(mediator) }],
  };
}

/**
 * Tells a channel that the secret was registered on chain in time: the channel may not let the lock expire, and can
 * claim it.
 */
export function registered(mediator: MediatorContext, channel: string | undefined): Effect[] {
  const { secret, secrethash } = mediator;
  if (secret === null || channel === undefined) return [];
  const event = { type: 'actor.secretRegistered', secrethash, secret } as const;
  return [{ type: 'notify', to: channel, event }];
}

/** The secret was registered on chain in time: only the payer's unlock, or the end of its channel, is still to come. */
function awaitPayer(mediator: MediatorContext): MediatorStep {
  const { payer } = mediator;
  return {
    patch: woken(mediator, { payerBlock: null }),
    effects: registered(mediator, payer.channel),
  };
}

/** The secret that an event brings, or the one that is known. */
function secretIn(
  mediator: MediatorContext,
  event: { message: { secret: Secret } } | { secret: Secret | null },
): Secret | null {
  const told = 'message' in event ? event.message.secret : event.secret;
  return told ?? mediator.secret;
}

/** One side was paid. When both are, the fee that this node keeps is recorded. */
export function notePaid(mediator: MediatorContext, side: 'isPaidIn' | 'isPaidOut'): MediatorStep {
  const paid = { ...mediator, [side]: true };
  const { token, tokenNetwork, secrethash, amount, payer, payee, isPaidIn, isPaidOut } = paid;
  if (!isPaidIn || !isPaidOut || payee === null) return { patch: { [side]: true }, effects: [] };
  const fee = amount - payee.amount;
  const facts = { token, tokenNetwork, secrethash, payer: payer.partner, fee };
  return { patch: { [side]: true }, effects: [{ type: 'record.mediated', ...facts }] };
}

/** Events of a channel, which may be the payer's or the payee's. */
export const OF_CHANNEL = [
  'actor.unlocked',
  'actor.lockGone',
  'actor.ownLockGone',
  'actor.channelClosed',
  'actor.refunded',
] as const;
const WITH_SECRET = ['msg.revealSecret', 'chain.secretRevealed', 'actor.unlocked'] as const;

export const guards = {
  isUnknown: ({ context }: { context: MediatorContext }) => context.secret === null,
  isPayable: when(isPayable, 'msg.revealSecret'),
  isBeforeExpiration: when(
    ({ expiration }, { nowBlock }) => nowBlock < expiration,
    'chain.block',
    'actor.channelClosed',
    'msg.revealSecret',
  ),
  isFromPayer: when(({ payer }, { channel }) => channel === payer.channel, ...OF_CHANNEL),
  isSecretKnown: when((mediator, event) => secretIn(mediator, event) !== null, 'actor.unlocked'),
  isInTime: when(isPublicInTime, 'chain.secretRevealed'),
  isFailed: when((_, { ok }) => !ok, 'chain.tx'),
  isMinedInTime: when(isRegisteredInTime, 'chain.tx'),
  isPayerDue: when(
    ({ payerBlock }, { nowBlock }) => payerBlock !== null && nowBlock >= payerBlock,
    'chain.block',
  ),
};

export const actions = {
  noteSettings: on(noteSettings, 'actor.settings'),
  learn: on(
    (mediator, event) => ({ patch: { secret: secretIn(mediator, event) }, effects: [] }),
    ...WITH_SECRET,
  ),
  noteLate: on(noteLate, 'msg.revealSecret'),
  awaitUnlock: onAny(awaitUnlock),
  passBack: onAny((mediator) => ({ patch: {}, effects: passBack(mediator) })),
  register: onAny(register),
  tryNextBlock: on(tryNextBlock, 'chain.tx'),
  awaitPayer: onAny(awaitPayer),
  restPayer: onAny(restPayer),
  notePaidIn: onAny((mediator) => notePaid(mediator, 'isPaidIn')),
};
