/**
 * Which secrets this node may have to register, as the state of its payments tells: those of the locks for which it
 * has promised something, by passing the transfer on or by requesting the secret as the target. A lock that is only
 * kept until it expires, such as a transfer that nobody takes, binds nothing.
 */
import {
  keeperRegistration,
  mediatorRegistration,
  targetRegistration,
} from '../../../machines/answering.ts';
import type { KeeperContext } from '../../../machines/keeper/context.ts';
import type { MediatorContext } from '../../../machines/mediator/context.ts';
import type { TargetContext } from '../../../machines/target/context.ts';
import type { Address } from '../../protocol/hex.ts';
import { type StoredState, stateText } from '../runtime/actors/kinds.ts';

/** A payment whose secret may have to be registered, or has been. */
export type Claim = {
  channel: string;
  partner: Address;
  token: Address;
  amount: bigint;
  /** Whether the registration is still to be paid for. */
  isOpen: boolean;
  /** Whether the registration has been asked for, because the payer has not unlocked in time. */
  isForced: boolean;
  /** Blocks that are reserved for the registration. */
  revealTimeout: bigint;
};

type Payer = Pick<Claim, 'partner' | 'token' | 'revealTimeout'>;

/**
 * What a payment or keeper claims; null: nothing. `channelWith`: what a keeper does not know of its lock's channel;
 * null when that is not there.
 */
export function claimOf(
  { kind, value, context }: StoredState,
  channelWith: (id: string) => Payer | null,
): Claim | null {
  switch (kind) {
    case 'target':
      return targetClaim(stateText(value), context);
    case 'mediator':
      return mediatorClaim(stateText(value), context);
    case 'keeper':
      return keeperClaim(stateText(value), context, channelWith(context.channel));
    default:
      return null;
  }
}

/** The claim on the payer while it has not paid: its secret may have to be registered, or had to be. */
function mediatorClaim(state: string, context: MediatorContext): Claim | null {
  const { payer, payee, token, amount, jobs } = context;
  const registration = mediatorRegistration(state);
  if (payee === null || registration === null) return null;
  const { channel, partner, revealTimeout } = payer;
  const isOpen = registration === 'ahead';
  if (!isOpen && jobs === 0) return null;
  return { channel, partner, token, amount, revealTimeout, isOpen, isForced: jobs > 0 };
}

function targetClaim(state: string, context: TargetContext): Claim | null {
  const { channel, payer: partner, token, amount, revealTimeout, jobs } = context;
  const registration = targetRegistration(state);
  const isOpen = registration === 'ahead';
  if (registration === null || (!isOpen && jobs === 0)) return null;
  return { channel, partner, token, amount, revealTimeout, isOpen, isForced: jobs > 0 };
}

/** The claim for a partner's lock without a payment; the secret of a lock that nobody can explain is registered. */
function keeperClaim(state: string, context: KeeperContext, payer: Payer | null): Claim | null {
  const { channel, amount, jobs, isUnexplained } = context;
  const registration = keeperRegistration(state, isUnexplained);
  const isOpen = registration === 'ahead';
  if (payer === null || registration === null || (!isOpen && jobs === 0)) return null;
  const { partner, token, revealTimeout } = payer;
  return { channel, partner, token, amount, revealTimeout, isOpen, isForced: jobs > 0 };
}
