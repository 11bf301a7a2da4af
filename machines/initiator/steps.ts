/**
 * What an initiator does: the checks, and the steps that they allow. Protocol section 4.3.
 *
 * An attempt that failed is followed by the next route of the order. While nothing has left this node the
 * secret stays; once a lock was signed, the next attempt is an actor of its own with a secret of its own:
 * two locks of one secret could both be claimed.
 */
import type { Code } from '../../src/protocol/codes.ts';
import { routesMetadata } from '../../src/protocol/metadata.ts';
import type { Effect } from '../effects.ts';
import type { RevealSecretReceived, SecretRequestReceived } from '../events/messages.ts';
import type { LockRefused } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import type { Attempt, InitiatorInput, PaymentOrder } from '../inputs.ts';
import type { Step } from '../step.ts';

export type InitiatorContext = InitiatorInput & {
  /** Null until the channel has taken the lock. */
  expiration: bigint | null;
  /** The secret stays hidden for good: a request did not fit, or the first hop gave the payment back. */
  isSpoilt: boolean;
  isRefunded: boolean;
  wakeBlock: bigint | null;
};
type InitiatorStep = Step<InitiatorContext>;

/** Whether the target asks for exactly what was locked for it, while the lock still stands. */
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

/** Whether another route is left after a lock was signed: one with another secret. */
export function hasNextAttempt({ order }: InitiatorContext): boolean {
  const [next] = order.alternatives;
  return next !== undefined && next.secrethash !== order.secrethash;
}

const revealKey = (payment: InitiatorContext) => `reveal:${payment.id}`;

export function askForLock(payment: InitiatorContext): InitiatorStep {
  const { id: from, own: initiator, order } = payment;
  const { channel, paymentId, lockAmount: amount, secrethash, lockTimeout, target } = order;
  const metadata = routesMetadata(order.route);
  const facts = { paymentId, amount, secrethash, lockTimeout, target, metadata };
  const event = { type: 'actor.addLock', from, initiator, ...facts } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
}

export function reveal(payment: InitiatorContext): InitiatorStep {
  const { target, secret } = payment.order;
  const message = { type: 'RevealSecret', secret } as const;
  const send = { type: 'send.message', key: revealKey(payment), to: target, queue: null } as const;
  return { patch: {}, effects: [{ ...send, message }] };
}

export function stopRevealing(payment: InitiatorContext): InitiatorStep {
  return { patch: {}, effects: [{ type: 'done.message', key: revealKey(payment) }] };
}

export function tellRegistered({ order }: InitiatorContext): InitiatorStep {
  const { channel, secret, secrethash } = order;
  const event = { type: 'actor.secretRegistered', secrethash, secret } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
}

export function unlock({ order }: InitiatorContext): InitiatorStep {
  const { channel, secret, secrethash, paymentId } = order;
  const event = { type: 'actor.unlock', secrethash, secret, paymentId } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
}

export function expireLock({ order }: InitiatorContext): InitiatorStep {
  const { channel, secrethash } = order;
  const event = { type: 'actor.expireLock', secrethash } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
}

function factsOf({ order }: InitiatorContext) {
  const { token, tokenNetwork, paymentId, secrethash, amount, target, channel, attempt } = order;
  const facts = { token, tokenNetwork, paymentId, secrethash, amount, target, channel };
  return { ...facts, attempts: attempt };
}

const report = ({ order }: InitiatorContext, isGood: boolean): Effect => {
  return { type: 'report.route', route: order.route, isGood };
};

/** The lock is paid: remember, answer. */
export function paid(payment: InitiatorContext): InitiatorStep {
  const { order } = payment;
  const effects: Effect[] = [
    { type: 'done.message', key: revealKey(payment) },
    { type: 'record.paymentSent', ...factsOf(payment) },
    { type: 'reply.ok', requestId: order.requestId, value: { kind: 'payment', order } },
    report(payment, true),
  ];
  return { patch: {}, effects };
}

function failed(payment: InitiatorContext, code: Code, reason: string): Effect[] {
  const { requestId } = payment.order;
  return [
    { type: 'done.message', key: revealKey(payment) },
    { type: 'record.paymentFailed', ...factsOf(payment), code, reason },
    { type: 'reply.error', requestId, code, detail: reason },
  ];
}

export function failRefused(
  payment: InitiatorContext,
  { code, detail }: LockRefused,
): InitiatorStep {
  return { patch: {}, effects: failed(payment, code, detail) };
}

export function failClosed(payment: InitiatorContext): InitiatorStep {
  const reason = 'the channel was closed before the target was paid';
  return { patch: {}, effects: failed(payment, 'channel_closed', reason) };
}

export function failExpired(payment: InitiatorContext): InitiatorStep {
  const effects = [
    ...failed(payment, 'lock_expired', expiredReason(payment)),
    report(payment, false),
  ];
  return { patch: {}, effects };
}

function expiredReason({ isSpoilt, isRefunded }: InitiatorContext): string {
  if (isRefunded) return 'lock expired: the next node on the path found no way on';
  return isSpoilt
    ? 'lock expired: the secret request of the target did not fit the payment'
    : 'lock expired before the target was paid';
}

/** No lock was made: the next route is asked for with the same secret, by this actor. */
export function retryWithNextRoute({ order }: InitiatorContext): InitiatorStep {
  const { alternatives, attempt, secret, secrethash } = order;
  const [next = order, ...rest] = alternatives;
  return {
    patch: { order: { ...follow(order, next, rest, attempt), secret, secrethash } },
    effects: [],
  };
}

function follow(
  order: PaymentOrder,
  next: Attempt,
  alternatives: readonly Attempt[],
  attempt: number,
): PaymentOrder {
  const { secret, secrethash, channel, partner, route, lockAmount } = next;
  const over = { secret, secrethash, channel, partner, route, lockAmount };
  return { ...order, ...over, alternatives, attempt: attempt + 1 };
}

/** The lock is dead to this node: the next route is taken by an actor with a secret of its own. */
export function spawnNextAttempt(payment: InitiatorContext): InitiatorStep {
  const { own, confirmations, order } = payment;
  const [next, ...rest] = order.alternatives;
  if (next === undefined) throw new Error('initiator: no route is left');
  const id = `initiator:${next.secrethash}`;
  const input = { id, own, confirmations, order: follow(order, next, rest, order.attempt) };
  return {
    patch: {},
    effects: [report(payment, false), { type: 'spawn.initiator', id, input }],
  };
}
