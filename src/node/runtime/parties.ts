/** Whose payments the locks of a channel stand for. */
import type { InitiatorContext } from '../../../machines/initiator/steps.ts';
import type { KeeperContext } from '../../../machines/keeper/chart.ts';
import { keeperId } from '../../../machines/keeper/keeping.ts';
import type { MediatorContext } from '../../../machines/mediator/context.ts';
import type { TargetContext } from '../../../machines/target/chart.ts';
import type { Address, Hash } from '../../protocol/hex.ts';
import type { Actors } from './actors.ts';
import type { StoredState } from './kinds.ts';

export type Parties = Pick<PendingTransfer, 'role' | 'initiator' | 'target' | 'paymentId'>;
type Context = StoredState['context'];

const contextOf = (actors: Pick<Actors, 'stateOf'>, id: string): Context | null =>
  actors.stateOf(id)?.context ?? null;

/** Of a lock that this node signed; null when no payment of it is on its way. */
export function sentIn(
  actors: Pick<Actors, 'stateOf'>,
  channel: string,
  secrethash: Hash,
): Parties | null {
  const payment = contextOf(actors, `initiator:${secrethash}`);
  if (payment !== null && isInitiator(payment) && payment.order.channel === channel) {
    const { target, paymentId } = payment.order;
    return { role: 'initiator', initiator: payment.own, target, paymentId };
  }
  const passedOn = contextOf(actors, `mediator:${secrethash}`);
  const isHere = passedOn !== null && isMediator(passedOn) && passedOn.payee?.channel === channel;
  return isHere ? mediated(passedOn) : null;
}

/** Of a lock that the partner signed; null when no payment of it is on its way. */
export function receivedIn(
  actors: Pick<Actors, 'stateOf'>,
  channel: string,
  secrethash: Hash,
): Parties | null {
  const payment = contextOf(actors, `target:${secrethash}`);
  if (payment !== null && isTarget(payment) && payment.channel === channel) {
    const { initiator, own: target, paymentId } = payment;
    return { role: 'target', initiator, target, paymentId };
  }
  const passedOn = contextOf(actors, `mediator:${secrethash}`);
  const isHere = passedOn !== null && isMediator(passedOn) && passedOn.payer.channel === channel;
  return isHere ? mediated(passedOn) : heldIn(actors, channel, secrethash);
}

/** Of a lock on which nothing hangs: what its transfer said. */
function heldIn(
  actors: Pick<Actors, 'stateOf'>,
  channel: string,
  secrethash: Hash,
): Parties | null {
  const kept = contextOf(actors, keeperId(channel, 'partner', secrethash));
  if (kept === null || !isKeeper(kept) || kept.transfer === null) return null;
  return kept.transfer;
}

function mediated({ initiator, target, paymentId }: MediatorContext): Parties {
  return { role: 'mediator', initiator, target, paymentId };
}

/** The shape was checked when the actor was restored; only its kind is in question here. */
export function isInitiator(context: Context): context is InitiatorContext {
  return 'order' in context;
}

export function isKeeper(context: Context): context is KeeperContext {
  return 'isUnexplained' in context;
}

export function isMediator(context: Context): context is MediatorContext {
  return 'payee' in context;
}

export function isTarget(context: Context): context is TargetContext {
  return 'payer' in context;
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
