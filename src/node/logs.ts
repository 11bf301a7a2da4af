/** Which actors a confirmed log concerns. */
import { channelActorId } from '../../machines/channel-context.ts';
import type { ChainLog } from '../../machines/events.ts';
import { tokenActorId } from '../../machines/node.ts';
import type { Address } from '../protocol/hex.ts';
import { actorsOf } from './secrethashes.ts';
import type { Delivery } from './turn.ts';

export type LogRouter = ReturnType<typeof createLogRouter>;

type Known = {
  own: Address;
  /** The token of each token network; it grows with the logs that are routed. */
  networks: Map<Address, Address>;
  /** The actors of all channels that there ever were: a partner may unlock long after the end of ours. */
  channels: readonly string[];
};

export function createLogRouter({ own, networks, channels }: Known) {
  const ours = new Set(channels);

  function deliveriesOf(log: ChainLog): Delivery[] {
    switch (log.type) {
      case 'chain.tokenNetworkCreated':
        networks.set(log.tokenNetwork, log.token);
        return [{ to: 'node', event: log }];
      case 'chain.secretRevealed':
        return actorsOf(log.secrethash).map((to) => ({ to, event: log }));
      case 'chain.channelOpened': {
        const token = networks.get(log.tokenNetwork);
        const isOurs = log.participant1 === own || log.participant2 === own;
        if (token === undefined || !isOurs) return [];
        ours.add(channelActorId(log.tokenNetwork, log.channelId));
        return [{ to: tokenActorId(token), event: log }];
      }
      default:
        return [{ to: channelActorId(log.tokenNetwork, log.channelId), event: log }];
    }
  }

  return {
    deliveriesOf,
    /** The channel of this node that the log belongs to, or null. */
    channelOf(log: ChainLog): string | null {
      if (log.type === 'chain.tokenNetworkCreated' || log.type === 'chain.secretRevealed')
        return null;
      const id = channelActorId(log.tokenNetwork, log.channelId);
      return ours.has(id) ? id : null;
    },
  };
}
