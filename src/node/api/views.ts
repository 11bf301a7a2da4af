/** How a channel's actor becomes the channel object of the API. */
import type { ChannelContext, ChannelTag } from '../../../machines/channel/context.ts';
import { revealTimeoutInForce } from '../../../machines/channel/timeouts.ts';
import type { Tags } from '../../../machines/tags.ts';
import { balance, type ChannelEnd } from '../../protocol/channel/channel-end.ts';
import type { NetworkState } from '../messaging/presence.ts';
import type { ChannelView } from '../runtime/actors/channel-states.ts';
import { apiState } from '../runtime/actors/channel-states.ts';

export function viewOf(
  { tags, channel }: { tags: Tags<ChannelTag>; channel: ChannelContext },
  networkState: NetworkState,
): ChannelView {
  const { ownEnd, partnerEnd, channelId, tokenNetwork, token, partner } = channel;
  return {
    channelId,
    tokenNetwork,
    token,
    partner,
    balance: shownBalance(ownEnd, partnerEnd),
    totalDeposit: ownEnd.deposit,
    totalWithdraw: ownEnd.withdrawn,
    state: apiState(tags),
    settleTimeout: channel.settleTimeout,
    revealTimeout: revealTimeoutInForce(channel),
    networkState,
  };
}

/** The balance, kept between 0 and all deposits left: a reorganisation may take away a deposit already paid out of. */
function shownBalance(own: ChannelEnd, partner: ChannelEnd): bigint {
  const mine = balance(own, partner) - own.locked;
  const all = own.deposit - own.withdrawn + partner.deposit - partner.withdrawn;
  if (mine < 0n) return 0n;
  return mine < all ? mine : all;
}
