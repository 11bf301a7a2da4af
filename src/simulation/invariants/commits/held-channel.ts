/**
 * What a channel's actor remembers is what both sides have signed, and holds together: each of its lists is about locks,
 * withdraws and transactions that are there.
 */
import type { ChannelContext } from '../../../../machines/channel/context.ts';
import { channelTags } from '../../../../machines/tags.ts';
import type { Hash } from '../../../basics/hex.ts';
import type { StoredState } from '../../../node/runtime/actors/kinds.ts';
import type { ChannelEnd, PendingWithdraw } from '../../../protocol/channel/channel-end.ts';
import type { SignedSide } from '../money/ledger.ts';

export type HeldChannel = Extract<StoredState, { kind: 'channel' }>;
type Side = 'own' | 'partner';
export type ChannelKnown = {
  /** What was signed for a side; null: nothing was. */
  signed(side: Side): Readonly<SignedSide> | null;
  /** Whether the node began the payment of this lock. */
  isInitiator(secrethash: Hash): boolean;
  /** Whether a transaction with this key waits for its end. */
  isUnderWay(job: string): boolean;
};

/** What is wrong with the channel as it is on disk now, for a person; null: nothing. */
export function wrongInChannel(held: HeldChannel, known: ChannelKnown): string | null {
  const { context, value } = held;
  const { ownEnd, partnerEnd, unsigned, partnerProof, dispute, unlocks } = context;
  const tags = channelTags(value);
  return (
    (unsigned !== null && 'holds changes that are not signed') ||
    (wrongSide(ownEnd, known.signed('own')) && 'holds another own side than it has signed') ||
    (wrongSide(partnerEnd, known.signed('partner')) &&
      'holds another side of its partner than that has signed') ||
    ((partnerProof?.nonce ?? 0n) !== partnerEnd.nonce && 'holds another proof than the newest') ||
    (tags.has('isUnclosed') !== (dispute === null) &&
      'knows of a dispute what its state does not') ||
    (tags.has('isUnsettled') && unlocks.length > 0 && 'unlocks what is not settled') ||
    (unlocks.some((side) => context.brings[side] <= 0n) && 'unlocks what brings nothing') ||
    wrongLists(context, known) ||
    wrongRequests(context, known) ||
    // Of a channel that can only be closed nothing is taken back.
    (!tags.has('isFrozen') &&
      keepsForNothing(context) &&
      'keeps money back for a withdraw that is over') ||
    null
  );
}

/** The partner's nonce is that of its newest proof; the own one also counts withdraw messages. */
function wrongSide(end: ChannelEnd, signed: Readonly<SignedSide> | null): boolean {
  const { nonce = 0n, transferred = 0n, locks = new Map() } = signed ?? {};
  if (end.transferred !== transferred || end.nonce < nonce || end.locks.length !== locks.size)
    return true;
  const hashes = [...locks.keys()];
  return end.locks.some(({ secrethash }, at) => secrethash !== hashes[at]);
}

/** Of locks that are passed on, and of those whose secret is registered. */
function wrongLists(context: ChannelContext, known: ChannelKnown): string | null {
  const { forwarded, registered, ownEnd, partnerEnd } = context;
  if (forwarded.length + registered.length + ownEnd.locks.length === 0) return null;
  const own = new Set(ownEnd.locks.map(({ secrethash }) => secrethash));
  const partners = new Set(partnerEnd.locks.map(({ secrethash }) => secrethash));
  const passedOn = new Set(forwarded.map(({ secrethash }) => secrethash));
  const gone =
    registered.find((hash) => !own.has(hash) && !partners.has(hash)) ??
    [...passedOn].find((hash) => !own.has(hash));
  if (gone !== undefined) return `still remembers ${gone}, of which no lock is left`;
  if (passedOn.size < forwarded.length || new Set(registered).size < registered.length)
    return 'remembers a lock twice';
  const lost = [...own].find((hash) => !known.isInitiator(hash) && !passedOn.has(hash));
  return lost === undefined ? null : `has forgotten for whom it passes ${lost} on`;
}

/** Of withdraws and deposits. */
function wrongRequests(context: ChannelContext, known: ChannelKnown): string | null {
  const { withdraw, requests, consents, ownEnd, deposit } = context;
  const nonces = requests.map(({ nonce }) => nonce);
  const isOrdered = nonces.every((nonce, at) => at === 0 || nonce > (nonces[at - 1] ?? 0n));
  if (!isOrdered || (nonces.at(-1) ?? 0n) > ownEnd.nonce) return 'asks with nonces out of order';
  const agreed = new Set(consents.map((one) => `${one.totalWithdraw} ${one.expiration}`));
  if (agreed.size < consents.length) return 'has given one consent twice';
  const isAsked = isThat(withdraw);
  if (withdraw !== null && !(requests.some(isAsked) && ownEnd.withdraws.some(isAsked)))
    return 'waits for a withdraw that it has not asked for';
  if (deposit !== null && !known.isUnderWay(deposit.key))
    return `waits for ${deposit.key}, which is not under way`;
  return null;
}

const isThat =
  (withdraw: PendingWithdraw | null) =>
  ({ totalWithdraw, expiration }: PendingWithdraw): boolean =>
    totalWithdraw === withdraw?.totalWithdraw && expiration === withdraw.expiration;

/** Whether it reserves an amount of its own that it does not wait to take out. */
const keepsForNothing = ({ ownEnd, withdraw }: ChannelContext): boolean =>
  !ownEnd.withdraws.every(isThat(withdraw));

/** Numbers of a channel that only grow, as far as nothing is taken back by the chain. */
export const growing = ({ jobs, consentHorizon, isOrdered }: ChannelContext): bigint[] => [
  BigInt(jobs),
  consentHorizon,
  isOrdered ? 1n : 0n,
];
