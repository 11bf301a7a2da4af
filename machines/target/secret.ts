/**
 * The secret of a payment to this node: the initiator is asked for it, it is passed back to the payer, and registered on
 * chain when waiting for the unlock gets dangerous. Protocol section 4.5.
 */

import type { Secret } from '../../src/basics/hex.ts';
import {
  dangerBlock,
  isSafeToWait,
  lateBlock,
  leastRevealTimeout,
  receiverRemovalBlock,
} from '../../src/protocol/channel/expiration.ts';
import { isPublicInTime, isRegisteredInTime, registration } from '../base/registering.ts';
import type { Effect } from '../effects.ts';
import type { SecretRevealed } from '../events/chain.ts';
import type { RevealSecretReceived } from '../events/messages.ts';
import type { SettingsTold } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { on, onAny, type TargetContext, type TargetStep, when } from './context.ts';

const requestKey = ({ id }: TargetContext) => `request:${id}`;
const revealKey = ({ id }: TargetContext) => `reveal:${id}`;

function sendRequest(payment: TargetContext): TargetStep {
  const { initiator, paymentId, secrethash, token, amount, expiration } = payment;
  const numbers = { paymentId, secrethash, token, amount, expiration };
  const message = { type: 'SecretRequest', ...numbers } as const;
  const send = {
    type: 'send.message',
    key: requestKey(payment),
    to: initiator,
    queue: null,
  } as const;
  return { patch: {}, effects: [{ ...send, message }] };
}

/** From the block on in which the payer may take its lock back, the initiator is asked no more. */
function wakeAtExpiration({ expiration, confirmations }: TargetContext): TargetStep {
  return {
    patch: { wakeBlock: receiverRemovalBlock(expiration, confirmations) },
    effects: [],
  };
}

function isSafe({ expiration, revealTimeout, nowBlock }: TargetContext): boolean {
  return isSafeToWait(expiration, revealTimeout, nowBlock);
}

/** First block at which an off-chain unlock can no longer be waited for. */
const unsafeBlock = ({ expiration, revealTimeout }: TargetContext) =>
  dangerBlock(expiration, revealTimeout);

/**
 * First block at which a secret from the initiator comes too late. Of a mediated payment half of the time is left for those
 * before this target: else an initiator could show the secret in the last moment, and make the payer look as if it withheld
 * its unlock. Who pays directly shows the secret itself.
 */
function lastBlock(payment: TargetContext): bigint {
  const danger = unsafeBlock(payment);
  return payment.initiator === payment.payer ? danger : lateBlock(payment.nowBlock, danger);
}

/**
 * A target that passes the secret back later than this counts as paid, but may find no block left to claim its lock in; or
 * no gas, when the node refuses to answer for the claim.
 */
function isStillSafe(
  payment: TargetContext,
  { nowBlock, refusal }: Stamped<RevealSecretReceived>,
): boolean {
  return refusal === undefined && nowBlock < lastBlock(payment);
}

/** The payment once its secret is known: it wakes up when waiting for the unlock gets dangerous. */
function knowing(payment: TargetContext, secret: Secret): TargetContext {
  return { ...payment, secret, wakeBlock: unsafeBlock(payment) };
}

/** Sends the secret to the payer, again and again until it unlocks. */
function revealed(payment: TargetContext, secret: Secret): Effect[] {
  const message = { type: 'RevealSecret', secret } as const;
  return [
    { type: 'done.message', key: requestKey(payment) },
    { type: 'send.message', key: revealKey(payment), to: payment.payer, queue: null, message },
  ];
}

/** Before the secret is known there is nothing to pass back. */
function passBack(payment: TargetContext): TargetStep {
  const { secret } = payment;
  return { patch: {}, effects: secret === null ? [] : revealed(payment, secret) };
}

function learn(payment: TargetContext, { message }: RevealSecretReceived): TargetStep {
  const { secret } = message;
  return { patch: knowing(payment, secret), effects: revealed(payment, secret) };
}

/** The initiator sent the secret with the lock. */
function useSecret(payment: TargetContext): TargetStep {
  const { secret } = payment;
  if (secret === null) return { patch: {}, effects: [] };
  return { patch: knowing(payment, secret), effects: revealed(payment, secret) };
}

/**
 * The channel is closed, so the payer can unlock no more and is not sent the secret: it learns the secret from the
 * chain, in time or never.
 */
function learnQuietly(payment: TargetContext, { message }: RevealSecretReceived): TargetStep {
  return {
    patch: knowing(payment, message.secret),
    effects: [{ type: 'done.message', key: requestKey(payment) }],
  };
}

/** More confirmations than before leave less time, so the reveal timeout may have to grow. */
function noteSettings({ revealTimeout }: TargetContext, { settings }: SettingsTold): TargetStep {
  const { confirmations } = settings;
  return {
    patch: { confirmations, revealTimeout: leastRevealTimeout(confirmations, revealTimeout) },
    effects: [],
  };
}

function learnFromChain(
  payment: TargetContext,
  { secret, secrethash }: SecretRevealed,
): TargetStep {
  const event = { type: 'actor.secretRegistered', secrethash, secret } as const;
  return {
    patch: { secret, wakeBlock: null },
    effects: [{ type: 'notify', to: payment.channel, event }],
  };
}

function tellRegistered({ channel, secret, secrethash }: TargetContext): TargetStep {
  const event = { type: 'actor.secretRegistered', secrethash, secret } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
}

function register(payment: TargetContext): TargetStep {
  const { secret } = payment;
  const jobs = payment.jobs + 1;
  const patch = { jobs, wakeBlock: null };
  return { patch, effects: secret === null ? [] : [registration(payment, secret, jobs)] };
}

const quiet = (payment: TargetContext): Effect[] => [
  { type: 'done.message', key: requestKey(payment) },
  { type: 'done.message', key: revealKey(payment) },
];

function fallSilent(payment: TargetContext): TargetStep {
  return { patch: { wakeBlock: null }, effects: quiet(payment) };
}

function noteReceived(payment: TargetContext): TargetStep {
  const { token, tokenNetwork, paymentId, secrethash, amount, initiator, channel } = payment;
  const facts = { token, tokenNetwork, paymentId, secrethash, amount, initiator, channel };
  return { patch: {}, effects: [...quiet(payment), { type: 'record.paymentReceived', ...facts }] };
}

export const guards = {
  hasSecret: ({ context }: { context: TargetContext }) => context.secret !== null,
  isSafe: ({ context }: { context: TargetContext }) => isSafe(context),
  isFromOther: ({ context }: { context: TargetContext }) => context.initiator !== context.own,
  isStillSafe: when(isStillSafe, 'msg.revealSecret'),
  isOwnChannel: when(
    (payment, { channel }) => channel === payment.channel,
    'actor.unlocked',
    'actor.lockGone',
    'actor.channelClosed',
  ),
  isBeforeExpiration: when(
    ({ expiration }, { nowBlock }) => nowBlock < expiration,
    'chain.block',
    'actor.channelClosed',
    'msg.revealSecret',
  ),
  isInTime: when(isPublicInTime, 'chain.secretRevealed'),
  isFailed: when((_, { ok }) => !ok, 'chain.tx'),
  isMinedInTime: when(isRegisteredInTime, 'chain.tx'),
};

export const actions = {
  sendRequest: onAny(sendRequest),
  wakeAtExpiration: onAny(wakeAtExpiration),
  learn: on(learn, 'msg.revealSecret'),
  useSecret: onAny(useSecret),
  learnQuietly: on(learnQuietly, 'msg.revealSecret'),
  noteSettings: on(noteSettings, 'actor.settings'),
  wakeAtDanger: onAny((payment) => ({ patch: { wakeBlock: unsafeBlock(payment) }, effects: [] })),
  learnFromChain: on(learnFromChain, 'chain.secretRevealed'),
  tellRegistered: onAny(tellRegistered),
  passBack: onAny(passBack),
  register: onAny(register),
  tryNextBlock: on(
    (_, { nowBlock }) => ({ patch: { wakeBlock: nowBlock + 1n }, effects: [] }),
    'chain.tx',
  ),
  fallSilent: onAny(fallSilent),
  noteReceived: onAny(noteReceived),
};
