import { keeperId } from '../../../../machines/keeper/keeping.ts';
import type { MediatorContext } from '../../../../machines/mediator/context.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import type { Actors } from './actors.ts';

export type Parties = Pick<PendingTransfer, 'role' | 'initiator' | 'target' | 'paymentId'>;

/** The parties of the payment for a lock that this node signed; null when no payment for it is on its way. */
export function sentIn(
  actors: Pick<Actors, 'stateOf'>,
  channel: string,
  secrethash: Hash,
): Parties | null {
  const payment = actors.stateOf(`initiator:${secrethash}`);
  if (payment?.kind === 'initiator' && payment.context.order.channel === channel) {
    const { target, paymentId } = payment.context.order;
    return { role: 'initiator', initiator: payment.context.own, target, paymentId };
  }
  const passedOn = actors.stateOf(`mediator:${secrethash}`);
  return passedOn?.kind === 'mediator' && passedOn.context.payee?.channel === channel
    ? mediated(passedOn.context)
    : null;
}

/** The parties of the payment for a lock that the partner signed; null when nothing is known of one. */
export function receivedIn(
  actors: Pick<Actors, 'stateOf'>,
  channel: string,
  secrethash: Hash,
): Parties | null {
  const payment = actors.stateOf(`target:${secrethash}`);
  if (payment?.kind === 'target' && payment.context.channel === channel) {
    const { initiator, own: target, paymentId } = payment.context;
    return { role: 'target', initiator, target, paymentId };
  }
  const passedOn = actors.stateOf(`mediator:${secrethash}`);
  return passedOn?.kind === 'mediator' && passedOn.context.payer.channel === channel
    ? mediated(passedOn.context)
    : heldIn(actors, channel, secrethash);
}

/** The parties that the transfer of a kept lock stated, though no payment depends on it. */
function heldIn(
  actors: Pick<Actors, 'stateOf'>,
  channel: string,
  secrethash: Hash,
): Parties | null {
  const kept = actors.stateOf(keeperId(channel, 'partner', secrethash));
  return kept?.kind === 'keeper' ? kept.context.transfer : null;
}

function mediated({ initiator, target, paymentId }: MediatorContext): Parties {
  return { role: 'mediator', initiator, target, paymentId };
}

/** A lock of this node or of a partner. The amounts are those of the balance proof that holds it. */
export type PendingTransfer = {
  channelId: bigint;
  token: Address;
  tokenNetwork: Address;
  initiator: Address;
  target: Address;
  lockedAmount: bigint;
  transferredAmount: bigint;
  paymentId: bigint;
  role: 'initiator' | 'mediator' | 'target';
};
