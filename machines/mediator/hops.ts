/** To whom a transfer is passed on: one hop after the other is asked. Protocol section 4.4. */
import { isLockTimeoutAllowed, senderRemovalBlock } from '../../src/protocol/channel/expiration.ts';
import { type ForwardLock, hopName, type LockForwarded } from '../events/notices.ts';
import type { MediatorContext } from './context.ts';
import { type MediatorStep, woken } from './wake.ts';

/**
 * Whether the transfer may still be passed on. The payer's lock has to leave time to register the secret, and must
 * not outlive the settlement of its channel: the payer could take its amount back while we still owe the payee.
 */
export function canForward({ payer, expiration }: MediatorContext, nowBlock: bigint): boolean {
  return isLockTimeoutAllowed(expiration - nowBlock, payer.revealTimeout, payer.settleTimeout);
}

/** Asks the hop of this number; when there is none left, all are asked again at the next block. */
export function askHop(mediator: MediatorContext, hop: number, nowBlock: bigint): MediatorStep {
  const { id: from, hops, token, amount: amountIn, payer, fees } = mediator;
  const patch = { ...woken(mediator, { payeeBlock: nowBlock + 1n }), hop };
  const partner = hops[hop];
  if (partner === undefined) return { patch, effects: [] };
  const { paymentId, secrethash, expiration, initiator, target, metadata } = mediator;
  const passedOn = { paymentId, secrethash, expiration, initiator, target, metadata };
  const event: ForwardLock = {
    type: 'actor.forwardLock',
    from,
    amountIn,
    payer,
    fees,
    ...passedOn,
  };
  return { patch, effects: [{ type: 'notify', to: hopName(token, partner), event }] };
}

/** The transfer went on: our lock ends when the payer's does. */
export function noteForwarded(mediator: MediatorContext, event: LockForwarded): MediatorStep {
  const { channel, partner, amount } = event;
  const payeeBlock = senderRemovalBlock(mediator.expiration, mediator.confirmations);
  return {
    patch: { ...woken(mediator, { payeeBlock }), payee: { channel, partner, amount } },
    effects: [],
  };
}
