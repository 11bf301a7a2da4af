/** The payee's side: its lock is paid, or taken away when it has run out. Protocol section 4.4. */
import type { Effect } from '../effects.ts';
import type { MediatorContext } from './context.ts';
import { type MediatorStep, woken } from './wake.ts';

/** Nothing more is to be done for the payee at any block. */
export function restPayee(mediator: MediatorContext): MediatorStep {
  return { patch: woken(mediator, { payeeBlock: null }), effects: [] };
}

/** The payee's channel is closed: until the lock runs out the payee can claim it on chain. */
export function watchPayee(mediator: MediatorContext): MediatorStep {
  return { patch: woken(mediator, { payeeBlock: mediator.expiration }), effects: [] };
}

/** Pays the payee; the channel signs it. */
export function unlockPayee(mediator: MediatorContext): Effect[] {
  const { payee, secret, secrethash, paymentId } = mediator;
  if (payee === null || secret === null) throw new Error('mediator: pays without lock or secret');
  const event = { type: 'actor.unlock', secrethash, secret, paymentId } as const;
  return [{ type: 'notify', to: payee.channel, event }];
}

/** Our lock has run out and no secret is on chain that could claim it. */
export function expirePayee(mediator: MediatorContext): MediatorStep {
  const { payee, secrethash } = mediator;
  const event = { type: 'actor.expireLock', secrethash } as const;
  const effects: Effect[] = payee === null ? [] : [{ type: 'notify', to: payee.channel, event }];
  return { patch: woken(mediator, { payeeBlock: null }), effects };
}
