/** Applies the logs of a channel to the graph of its token network. */
import type { ChannelLog } from '../contracts/channel-events.ts';
import type { RoutedNetwork } from './network.ts';

/**
 * A settlement closes the channel, too, because no close precedes a cooperative settlement. Other logs change nothing
 * in the graph.
 */
export function applyChannelLog(network: RoutedNetwork, log: ChannelLog): void {
  switch (log.type) {
    case 'chain.channelOpened': {
      const { channelId, participant1, participant2, settleTimeout } = log;
      network.open({ channelId, participants: [participant1, participant2], settleTimeout });
      break;
    }
    case 'chain.channelDeposit':
      network.setTotal(log.channelId, log.participant, { deposit: log.totalDeposit });
      break;
    case 'chain.channelWithdraw':
      network.setTotal(log.channelId, log.participant, { withdraw: log.totalWithdraw });
      break;
    case 'chain.channelClosed':
    case 'chain.channelSettled':
      network.close(log.channelId);
  }
}
