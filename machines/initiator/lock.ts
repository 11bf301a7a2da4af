/**
 * The lock of a payment: the channel is asked to make it, to pay it, or to take it away; and who may have its secret,
 * and when. Protocol section 4.3.
 */
import { senderRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import type { RevealSecretReceived, SecretRequestReceived } from '../events/messages.ts';
import type { LockAdded } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { type InitiatorContext, type InitiatorStep, on, onAny, when } from './context.ts';

function askForLock(payment: InitiatorContext): InitiatorStep {
  const { id: from, own: initiator, order } = payment;
  const { channel, paymentId, lockAmount: amount, secrethash, lockTimeout, target } = order;
  const metadata = routesMetadata(order.route, order.sealedSecret);
  const facts = { paymentId, amount, secrethash, lockTimeout, target, metadata };
  const event = { type: 'actor.addLock', from, initiator, ...facts } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
}

function noteLock({ confirmations }: InitiatorContext, { expiration }: LockAdded): InitiatorStep {
  return {
    patch: { expiration, wakeBlock: senderRemovalBlock(expiration, confirmations) },
    effects: [],
  };
}

function tellRegistered({ order }: InitiatorContext): InitiatorStep {
  const { channel, secret, secrethash } = order;
  const event = { type: 'actor.secretRegistered', secrethash, secret } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
}

export function unlock({ order }: InitiatorContext): InitiatorStep {
  const { channel, secret, secrethash, paymentId } = order;
  const event = { type: 'actor.unlock', secrethash, secret, paymentId } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
}

function expireLock({ order }: InitiatorContext): InitiatorStep {
  const { channel, secrethash } = order;
  const event = { type: 'actor.expireLock', secrethash } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
}

/** Whether the target asks for the secret of this payment, with its token and at least its amount, while the lock has not expired. */
function isFitting(
  payment: InitiatorContext,
  { sender, message, nowBlock }: Stamped<SecretRequestReceived>,
): boolean {
  const { order, expiration, isSpoilt } = payment;
  if (sender !== order.target || isSpoilt) return false;
  if (expiration === null || nowBlock >= expiration) return false;
  const isSame = message.paymentId === order.paymentId && message.expiration === expiration;
  return isSame && message.token === order.token && message.amount >= order.amount;
}

/** Whether the first hop shows the secret while an off-chain unlock can still count. */
function isPayable(payment: InitiatorContext, event: Stamped<RevealSecretReceived>): boolean {
  const { expiration, order } = payment;
  return event.sender === order.partner && expiration !== null && event.nowBlock < expiration;
}

export const revealKey = (payment: InitiatorContext) => `reveal:${payment.id}`;

function reveal(payment: InitiatorContext): InitiatorStep {
  const { target, secret } = payment.order;
  const message = { type: 'RevealSecret', secret } as const;
  const send = { type: 'send.message', key: revealKey(payment), to: target, queue: null } as const;
  return { patch: {}, effects: [{ message, ...send }] };
}

export function stopRevealing(payment: InitiatorContext): InitiatorStep {
  return { patch: {}, effects: [{ type: 'done.message', key: revealKey(payment) }] };
}

export const guards = {
  isFromTarget: when(({ order }, { sender }) => sender === order.target, 'msg.secretRequest'),
  isFitting: when(isFitting, 'msg.secretRequest'),
  isPayable: when(isPayable, 'msg.revealSecret'),
  isInTime: when(
    ({ expiration }, { at }) => expiration !== null && at.block < expiration,
    'chain.secretRevealed',
  ),
  hasSentSecret: ({ context }: { context: InitiatorContext }) =>
    context.order.sealedSecret !== null,
};

export const actions = {
  askForLock: onAny(askForLock),
  noteLock: on(noteLock, 'actor.lockAdded'),
  noteSpoilt: onAny(() => ({ patch: { isSpoilt: true }, effects: [] })),
  noteRefunded: onAny(() => ({ patch: { isSpoilt: true, isRefunded: true }, effects: [] })),
  sendReveal: onAny(reveal),
  stopRevealing: onAny(stopRevealing),
  unlock: onAny(unlock),
  expireLock: onAny(expireLock),
  tellRegistered: onAny(tellRegistered),
};
