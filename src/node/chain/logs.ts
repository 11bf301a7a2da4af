/** Which actors a confirmed log concerns. */

import { channelActorId, placeOfChannel, tokenActorId } from '../../../machines/base/actor-ids.ts';
import type { ChainLog } from '../../../machines/events/chain.ts';
import type { Address, Hash } from '../../basics/hex.ts';
import { actorsOf } from '../runtime/knowledge/secrethashes.ts';

/** A log and the actor that it concerns. */
export type LogDelivery = { to: string; event: ChainLog };
export type LogRouter = ReturnType<typeof createLogRouter>;

type Known = {
  own: Address;
  /** The token of each token network; the router adds networks as it routes their creation. */
  networks: Map<Address, Address>;
  /** The actors of all channels that this node ever had: a partner may unlock long after the actor has ended. */
  channels: readonly string[];
  /** The keepers of locks with this secrethash for which no payment actor is responsible. */
  keepersOf(secrethash: Hash): string[];
};

export function createLogRouter({ own, networks, channels, keepersOf }: Known) {
  const ours = new Set(channels);
  /** Channel numbers of this node: most logs concern others, and are skipped by number without building an actor id. */
  const numbers = new Set(channels.flatMap((id) => placeOfChannel(id)?.channelId ?? []));

  function isOpeningOfOurs(log: ChainLog): boolean {
    const isOpening = log.type === 'chain.channelOpened';
    return isOpening && (log.participant1 === own || log.participant2 === own);
  }

  function deliveriesOf(log: ChainLog): LogDelivery[] {
    switch (log.type) {
      case 'chain.tokenNetworkCreated':
        networks.set(log.tokenNetwork, log.token);
        return [{ to: 'node', event: log }];
      case 'chain.secretRevealed':
        return [...actorsOf(log.secrethash), ...keepersOf(log.secrethash)].map((to) => ({
          to,
          event: log,
        }));
      case 'chain.channelOpened': {
        const token = networks.get(log.tokenNetwork);
        if (token === undefined || !isOpeningOfOurs(log)) return [];
        ours.add(channelActorId(log));
        numbers.add(log.channelId);
        return [{ to: tokenActorId(token), event: log }];
      }
      default: {
        const to = channelOf(log);
        return to === null ? [] : [{ to, event: log }];
      }
    }
  }

  /** The channel of this node that the log belongs to, or null. */
  function channelOf(log: ChainLog): string | null {
    if (log.type === 'chain.tokenNetworkCreated' || log.type === 'chain.secretRevealed')
      return null;
    if (!numbers.has(log.channelId)) return null;
    const id = channelActorId(log);
    return ours.has(id) ? id : null;
  }

  return { deliveriesOf, isOpeningOfOurs, channelOf };
}
