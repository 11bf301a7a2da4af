/**
 * When an attempt fails, the next route of the order is tried. While no lock was signed, the same actor goes on with
 * the same secret. Once a lock was signed, the next attempt is an actor of its own with a secret of its own: two
 * locks of one secret could both be claimed. Protocol section 4.3.
 */
import type { Attempt, PaymentOrder } from '../inputs.ts';
import type { InitiatorContext, InitiatorStep } from './context.ts';
import { report } from './outcome.ts';

/** Whether another route is left that can be tried after a lock was signed: one with another secret. */
export function hasNextAttempt({ order }: InitiatorContext): boolean {
  const [next] = order.alternatives;
  return next !== undefined && next.secrethash !== order.secrethash;
}

/** No lock was made: this actor asks for a lock on the next route, with the same secret. */
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
  return { ...order, ...over, alternatives, attempt: attempt + 1, sealedSecret: null };
}

/** This node never pays its lock any more: another actor tries the next route, with another secret. */
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
