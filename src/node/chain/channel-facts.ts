/** What is remembered of each channel, to judge locks and transactions by it. Amounts in the token's smallest unit. */
import type { ChannelContext, ChannelTag } from '../../../machines/channel/context.ts';
import type { Timeouts } from '../../../machines/channel/timeouts.ts';
import type { Tags } from '../../../machines/tags.ts';
import { type Address, ZERO_HASH } from '../../basics/hex.ts';
import { balance } from '../../protocol/channel/channel-end.ts';
import type { ChannelBurden } from './gas/gas-reserve.ts';

export type ChannelFacts = Omit<ChannelBurden, 'registrations'> &
  Timeouts & {
    token: Address;
    partner: Address;
    /** What this node owns in the channel, and what the partner owes it by secrets that are on chain. */
    stake: bigint;
    /** The part of it that the partner owes by such secrets. */
    owed: bigint;
    /** What the partner's balance proof has brought: it is lost when an older one is settled. */
    proven: bigint;
    /** What it may still bring: the partner's locks, as far as their secrets are shown. */
    provable: bigint;
    /** Whether the contract may have to be brought the partner's newest balance proof. */
    mayUpdate: boolean;
    /** Whether the operator has asked for its close, before it or after. */
    isOrdered: boolean;
    /** What this node owns in it until it is settled, else 0. */
    funds: bigint;
    /** What this node itself has deposited into it. */
    funded: bigint;
  };

/**
 * Each field by name: to copy the whole context takes as long as everything else that is counted for a channel.
 */
export function channelFacts(tags: Tags<ChannelTag>, context: ChannelContext): ChannelFacts {
  const { ownEnd, partnerEnd, registered } = context;
  const held = balance(ownEnd, partnerEnd);
  const owed = owedBy(context);
  return {
    tags,
    token: context.token,
    partner: context.partner,
    settleTimeout: context.settleTimeout,
    revealTimeout: context.revealTimeout,
    isRevealChosen: context.isRevealChosen,
    minRevealTimeout: context.minRevealTimeout,
    confirmations: context.confirmations,
    ownLocks: ownEnd.locks.length,
    partnerLocks: partnerEnd.locks.length,
    isClaimable: registered.length > 0,
    stake: held + owed,
    owed,
    proven: partnerEnd.transferred + owed,
    provable: partnerEnd.transferred + partnerEnd.locked,
    // The contract takes it until somebody settles, however long the time for that has come.
    mayUpdate: tags.has('isUnsettled') && isUnproven(context),
    isOrdered: context.isOrdered,
    funds: tags.has('isUnsettled') ? held : 0n,
    funded: context.funded,
  };
}

/** Whether the partner's newest balance proof is not in the contract, and may be missing there. */
function isUnproven({ own, dispute, partnerProof }: ChannelContext): boolean {
  const hash = partnerProof?.balanceHash ?? ZERO_HASH;
  if (hash === ZERO_HASH) return false;
  return dispute === null || (dispute.closer !== own && dispute.partnerHash !== hash);
}

/** The sum of the partner's pending locks whose secrets are on chain. */
function owedBy({ partnerEnd, registered }: ChannelContext): bigint {
  if (registered.length === 0) return 0n;
  const known = new Set(registered);
  return partnerEnd.locks.reduce(
    (sum, { secrethash, amount }) => (known.has(secrethash) ? sum + amount : sum),
    0n,
  );
}
