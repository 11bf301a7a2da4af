/**
 * This node's own copy of one token network: channels as the chain shows them, capacities and fees as their
 * participants announce them. Participants are believed about their own channels only, and a repeated old announcement
 * does not undo a later one.
 */

import type { Address } from '../../basics/hex.ts';
import { microsecondsOf } from '../../basics/timestamp.ts';
import type { ChannelLog } from '../../contracts/channel-events.ts';
import { applyChannelLog } from '../../routing/channel-logs.ts';
import type { RoutedNetwork } from '../../routing/network.ts';
import {
  capacityRefusal,
  feeRefusal,
  isOfChannel,
  type StatedOf,
} from '../../routing/statements.ts';
import { createRoutedNetwork } from '../../routing/token-network.ts';
import { createWaitingRoom, type Statement } from '../../routing/waiting-room.ts';

export type NetworkCopy = ReturnType<typeof createNetworkCopy>;

export function createNetworkCopy({ now }: { now(): number }) {
  const network: RoutedNetwork = createRoutedNetwork();
  /** The newest announcements, by channel, then by participant. */
  const newest = new Map<bigint, Map<Address, StatedOf>>();
  const waiting = createWaitingRoom();

  function confirmed(log: ChannelLog): void {
    applyChannelLog(network, log);
    if (log.type === 'chain.channelOpened') {
      const { channelId, participant1, participant2, tokenNetwork } = log;
      for (const updatingParticipant of [participant1, participant2])
        for (const update of waiting.take({ tokenNetwork, channelId, updatingParticipant }))
          apply(update);
    }
    if (log.type === 'chain.channelClosed' || log.type === 'chain.channelSettled')
      newest.delete(log.channelId);
  }

  function standingOf({ channelId, updatingParticipant }: Statement): StatedOf {
    return newest.get(channelId)?.get(updatingParticipant) ?? { nonces: null, feeTime: null };
  }

  function note({ channelId, updatingParticipant }: Statement, change: StatedOf): void {
    const ofChannel = newest.get(channelId) ?? new Map<Address, StatedOf>();
    newest.set(channelId, ofChannel.set(updatingParticipant, change));
  }

  /** Whether the statement could change anything; asked before the signature is checked, which costs most. */
  function isWanted(update: Statement): boolean {
    const channel = network.channel(update.channelId);
    if (channel !== null && !isOfChannel(update, channel.participants)) return false;
    const standing = standingOf(update);
    return update.type === 'PFSCapacityUpdate'
      ? capacityRefusal(update, standing) === null
      : feeRefusal(update, standing, now()) === null;
  }

  function apply(update: Statement): void {
    if (!isWanted(update)) return;
    const standing = standingOf(update);
    if (update.type === 'PFSCapacityUpdate') {
      const { updatingNonce, otherNonce } = update;
      if (network.update(update))
        note(update, { ...standing, nonces: { updatingNonce, otherNonce } });
      return;
    }
    const isTaken = network.charge(update.channelId, update.updatingParticipant, update.schedule);
    if (isTaken) note(update, { ...standing, feeTime: microsecondsOf(update.timestamp) });
  }

  return {
    network,
    confirmed,
    isWanted,
    /** Whether the channel of the statement is on chain, as far as this copy knows. */
    knows: ({ channelId }: Statement): boolean => network.channel(channelId) !== null,
    /** Takes an update that its participant has signed. */
    announced(update: Statement): void {
      if (network.channel(update.channelId) === null) waiting.add(update);
      else apply(update);
    },
  };
}
