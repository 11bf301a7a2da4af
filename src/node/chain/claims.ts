/**
 * Which secrets this node may have to register, as the state of its payments tells: those of the locks for which it
 * has promised something, by passing the transfer on, or by showing the secret of a payment to itself to a payer that did
 * not have it. A lock that is only kept until it expires binds nothing: a transfer that nobody takes, a payment whose
 * secret this target does not know. Nor does one of the initiator itself, which has the secret anyway: it may be claimed.
 */
import { keeperMayRegister, keeperTags, mediatorTags, targetTags } from '../../../machines/tags.ts';
import type { Address } from '../../basics/hex.ts';
import type { StoredState } from '../runtime/actors/kinds.ts';

/** A payment whose secret may have to be registered, or has been. */
export type Claim = {
  channel: string;
  partner: Address;
  token: Address;
  amount: bigint;
  /** Whether this node has promised something for the lock, so that the registration is still to be paid for. */
  isOpen: boolean;
  /** Whether the registration has been asked for, because the payer has not unlocked in time. */
  isForced: boolean;
  /** Blocks that are reserved for the registration. */
  revealTimeout: bigint;
};

type Stored<K extends StoredState['kind']> = Extract<StoredState, { kind: K }>;
type Payer = Pick<Claim, 'partner' | 'token' | 'revealTimeout'>;

/**
 * What a payment or keeper claims; null: nothing. `channelWith`: what a keeper does not know of its lock's channel;
 * null when that is not there.
 */
export function claimOf(
  actor: StoredState,
  channelWith: (id: string) => Payer | null,
): Claim | null {
  switch (actor.kind) {
    case 'target':
      return targetClaim(actor);
    case 'mediator':
      return mediatorClaim(actor);
    case 'keeper':
      return keeperClaim(actor, channelWith(actor.context.channel));
    default:
      return null;
  }
}

/** The claim on the payer while it has not paid: its secret may have to be registered, or had to be. */
function mediatorClaim({ value, context }: Stored<'mediator'>): Claim | null {
  const { payer, payee, token, amount, jobs } = context;
  const tags = mediatorTags(value);
  if (payee === null || !tags.has('answersForPayer')) return null;
  const { channel, partner, revealTimeout } = payer;
  const isOpen = tags.has('mayRegister');
  return { channel, partner, token, amount, revealTimeout, isOpen, isForced: jobs > 0 };
}

function targetClaim({ value, context }: Stored<'target'>): Claim | null {
  const { channel, payer: partner, token, amount, revealTimeout, jobs } = context;
  const tags = targetTags(value);
  const isOpen = tags.has('mayRegister') && isShownTo(context);
  if (!tags.has('answersForPayer') || (!isOpen && jobs === 0)) return null;
  return { channel, partner, token, amount, revealTimeout, isOpen, isForced: jobs > 0 };
}

/** Whether the payer learns the secret from this target, and not from having drawn it itself. */
export const isShownTo = ({
  secret,
  payer,
  initiator,
}: Pick<Stored<'target'>['context'], 'secret' | 'payer' | 'initiator'>): boolean =>
  secret !== null && payer !== initiator;

/** The claim for a partner's lock without a payment; the secret of a lock that nobody can explain is registered. */
function keeperClaim({ value, context }: Stored<'keeper'>, payer: Payer | null): Claim | null {
  const { channel, amount, jobs } = context;
  const isOpen = keeperMayRegister(value, context);
  if (payer === null || !keeperTags(value).has('keepsLock')) return null;
  if (!isOpen && jobs === 0) return null;
  const { partner, token, revealTimeout } = payer;
  return { channel, partner, token, amount, revealTimeout, isOpen, isForced: jobs > 0 };
}
