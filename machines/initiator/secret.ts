/** Who may have the secret of a payment, and when. Protocol section 4.3. */
import type { RevealSecretReceived, SecretRequestReceived } from '../events/messages.ts';
import type { Stamped } from '../events/stamps.ts';
import type { InitiatorContext, InitiatorStep } from './context.ts';

/** Whether the target asks for the secret of this payment, with at least its amount, while the lock has not expired. */
export function isFitting(
  payment: InitiatorContext,
  { sender, message, nowBlock }: Stamped<SecretRequestReceived>,
): boolean {
  const { order, expiration, isSpoilt } = payment;
  if (sender !== order.target || isSpoilt) return false;
  if (expiration === null || nowBlock >= expiration) return false;
  const isSame = message.paymentId === order.paymentId && message.expiration === expiration;
  return isSame && message.amount >= order.amount;
}

/** Whether the first hop shows the secret while an off-chain unlock can still count. */
export function isPayable(
  payment: InitiatorContext,
  event: Stamped<RevealSecretReceived>,
): boolean {
  const { expiration, order } = payment;
  return event.sender === order.partner && expiration !== null && event.nowBlock < expiration;
}

export const revealKey = (payment: InitiatorContext) => `reveal:${payment.id}`;

export function reveal(payment: InitiatorContext): InitiatorStep {
  const { target, secret } = payment.order;
  const message = { type: 'RevealSecret', secret } as const;
  const send = { type: 'send.message', key: revealKey(payment), to: target, queue: null } as const;
  return { patch: {}, effects: [{ ...send, message }] };
}

export function stopRevealing(payment: InitiatorContext): InitiatorStep {
  return { patch: {}, effects: [{ type: 'done.message', key: revealKey(payment) }] };
}
