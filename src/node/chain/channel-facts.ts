/** What is remembered of each channel, to judge locks by it. */
import type { ChannelContext, ChannelTag } from '../../../machines/channel/context.ts';
import type { Timeouts } from '../../../machines/channel/timeouts.ts';
import type { Tags } from '../../../machines/tags.ts';
import type { Address } from '../../basics/hex.ts';
import { balance } from '../../protocol/channel/channel-end.ts';
import type { ChannelBurden } from './gas/gas-reserve.ts';

export type ChannelFacts = Omit<ChannelBurden, 'registrations'> &
  Timeouts & {
    token: Address;
    partner: Address;
    /**
     * What this node owns in the channel, and what the partner owes it by secrets that are on chain: in the token's
     * smallest unit.
     */
    stake: bigint;
    /** What this node owns in it while it is open, else 0. */
    funds: bigint;
    /** What this node has deposited into it in all. */
    deposited: bigint;
  };

/**
 * Each field by name: to copy the whole context takes as long as everything else that is counted for a channel.
 */
export function channelFacts(tags: Tags<ChannelTag>, context: ChannelContext): ChannelFacts {
  const { ownEnd, partnerEnd, registered } = context;
  const held = balance(ownEnd, partnerEnd);
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
    stake: held + owedBy(context),
    funds: tags.has('takesLocks') ? held : 0n,
    deposited: ownEnd.deposit,
  };
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
