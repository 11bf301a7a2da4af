/**
 * How an attempt ends: what is recorded, what the caller is answered, and whether the next route of the order is tried.
 *
 * While no lock was signed, the same actor goes on with the same secret. Once a lock was signed, the next attempt is an
 * actor of its own with a secret of its own: two locks of one secret could both be claimed. Protocol section 4.3.
 */
import type { Code } from '../../src/protocol/codes.ts';
import type { Attempt, PaymentOrder } from '../base/inputs.ts';
import { inOrder } from '../base/step.ts';
import type { Effect } from '../effects.ts';
import type { LockRefused } from '../events/notices.ts';
import { type InitiatorContext, type InitiatorStep, on, onAny, when } from './context.ts';
import { revealKey, unlock } from './lock.ts';

function factsOf({ order }: InitiatorContext) {
  const { token, tokenNetwork, paymentId, secrethash, amount, target, channel, attempt } = order;
  const facts = { token, tokenNetwork, paymentId, secrethash, amount, target, channel };
  return { attempts: attempt, ...facts };
}

const report = ({ order }: InitiatorContext, isGood: boolean): Effect => {
  return { type: 'report.route', route: order.route, isGood };
};

/** The lock is paid: records the payment and answers the caller. */
function paid(payment: InitiatorContext): InitiatorStep {
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

function failRefused(payment: InitiatorContext, { code, detail }: LockRefused): InitiatorStep {
  return { patch: {}, effects: failed(payment, code, detail) };
}

function failClosed(payment: InitiatorContext): InitiatorStep {
  const reason = 'the channel was closed before its lock was claimed';
  return { patch: {}, effects: failed(payment, 'channel_closed', reason) };
}

function failExpired(payment: InitiatorContext): InitiatorStep {
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
    : 'lock expired before it was claimed';
}

/** Whether another route is left that can be tried after a lock was signed: one with another secret. */
export function hasNextAttempt({ order }: InitiatorContext): boolean {
  const [next] = order.alternatives;
  return next !== undefined && next.secrethash !== order.secrethash;
}

/** No lock was made: this actor asks for a lock on the next route, with the same secret. */
function retryWithNextRoute({ order }: InitiatorContext): InitiatorStep {
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
  return { ...order, ...over, alternatives, attempt: attempt + 1, sealedSecret: null };
}

/** This node never pays its lock any more: another actor tries the next route, with another secret. */
function spawnNextAttempt(payment: InitiatorContext): InitiatorStep {
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

export const guards = {
  isOwnChannel: when(({ order }, { channel }) => channel === order.channel, 'actor.refunded'),
  isRefundWithNextAttempt: when(
    (payment, { channel }) => channel === payment.order.channel && hasNextAttempt(payment),
    'actor.refunded',
  ),
  hasNextAttempt: ({ context }: { context: InitiatorContext }) => hasNextAttempt(context),
  hasAlternative: ({ context }: { context: InitiatorContext }) =>
    context.order.alternatives.length > 0,
};

export const actions = {
  retryWithNextRoute: onAny(retryWithNextRoute),
  spawnNextAttempt: onAny(spawnNextAttempt),
  pay: onAny((payment) => inOrder(payment, unlock, paid)),
  failRefused: on(failRefused, 'actor.lockRefused'),
  failExpired: onAny(failExpired),
  failClosed: onAny(failClosed),
};
