/** The lock of a payment: the channel is asked to make it, to pay it, or to take it away. Protocol section 4.3. */
import { routesMetadata } from '../../src/protocol/wire/metadata.ts';
import type { InitiatorContext, InitiatorStep } from './context.ts';

export function askForLock(payment: InitiatorContext): InitiatorStep {
  const { id: from, own: initiator, order } = payment;
  const { channel, paymentId, lockAmount: amount, secrethash, lockTimeout, target } = order;
  const metadata = routesMetadata(order.route, order.sealedSecret);
  const facts = { paymentId, amount, secrethash, lockTimeout, target, metadata };
  const event = { type: 'actor.addLock', from, initiator, ...facts } as const;
  return { patch: {}, effects: [{ type: 'notify', to: channel, event }] };
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
