/** How an attempt ends: what is recorded, and what the caller is answered. */
import type { Code } from '../../src/protocol/codes.ts';
import type { Effect } from '../effects.ts';
import type { LockRefused } from '../events/notices.ts';
import type { InitiatorContext, InitiatorStep } from './context.ts';
import { revealKey } from './secret.ts';

function factsOf({ order }: InitiatorContext) {
  const { token, tokenNetwork, paymentId, secrethash, amount, target, channel, attempt } = order;
  const facts = { token, tokenNetwork, paymentId, secrethash, amount, target, channel };
  return { ...facts, attempts: attempt };
}

export const report = ({ order }: InitiatorContext, isGood: boolean): Effect => {
  return { type: 'report.route', route: order.route, isGood };
};

/** The lock is paid: records the payment and answers the caller. */
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
  const reason = 'the channel was closed before its lock was claimed';
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
    : 'lock expired before it was claimed';
}
