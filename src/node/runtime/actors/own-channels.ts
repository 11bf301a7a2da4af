/** Writes what a node knows of its own channels into its copies of token networks. */
import { revealTimeoutInForce, timeoutsRefusal } from '../../../../machines/channel/timeouts.ts';
import { createBreather } from '../../../basics/breather.ts';
import type { Address } from '../../../basics/hex.ts';
import { distributable } from '../../../protocol/channel/channel-end.ts';
import type { RoutedNetwork } from '../../../routing/network.ts';
import type { channelState } from './channel-states.ts';

/** Channels that are read without a pause: anybody can open channels with this node. */
const CHANNELS_AT_ONCE = 50;

/** What a node knows of its own channels and of other nodes without asking anybody. */
export type OwnChannels = {
  /** The actors of this node's channels, of all tokens. */
  channels(): readonly string[];
  stateOf(channel: string): ReturnType<typeof channelState>;
  /** False when the node at this address is known to be offline. */
  mayBeThere(address: Address): boolean;
};
type ChannelState = NonNullable<ReturnType<OwnChannels['stateOf']>>;
type Known = Pick<OwnChannels, 'channels' | 'stateOf'>;

/** `copyOf`: the copy of a token network; null while it is still being read, undefined when there is none. */
export function createOwnWord(
  { channels, stateOf }: Known,
  copyOf: (tokenNetwork: Address) => Pick<RoutedNetwork, 'update'> | null | undefined,
) {
  let changed: Set<string> | null = null;

  /** False when the channel's copy is still being read. */
  function tellIfRead(id: string): boolean {
    const state = stateOf(id);
    const copy = state === null ? undefined : copyOf(state.channel.tokenNetwork);
    if (state !== null && copy) tellOf(state, copy);
    return copy !== null;
  }

  return {
    /** Notes the channels among the actors that a commit has written. */
    changed(ids: ReadonlySet<string>) {
      for (const id of ids) if (id.startsWith('channel:')) changed?.add(id);
    },
    /**
     * Writes the channels that have changed since the last call into their copies; the first time all channels. When it
     * resolves, the copies are as new as the channels.
     */
    async tell(): Promise<void> {
      changed ??= new Set(channels());
      const untold = changed;
      const unread: string[] = [];
      const pause = createBreather(CHANNELS_AT_ONCE);
      // What changes meanwhile is told as well.
      for (const id of untold) {
        await pause();
        if (untold.delete(id) && !tellIfRead(id)) unread.push(id);
      }
      for (const id of unread) untold.add(id);
    },
  };
}

/** Writes the channel's capacities, as announcements of both participants. */
function tellOf({ channel, tags }: ChannelState, copy: Pick<RoutedNetwork, 'update'>): void {
  const { own, partner, ownEnd, partnerEnd, channelId } = channel;
  const isUsable = tags.has('takesLocks') && timeoutsRefusal(channel) === null;
  const revealTimeout = revealTimeoutInForce(channel);
  const ours = isUsable ? distributable(ownEnd, partnerEnd) : 0n;
  const theirs = isUsable ? distributable(partnerEnd, ownEnd) : 0n;
  for (const [updatingParticipant, updatingCapacity, otherCapacity] of [
    [own, ours, theirs],
    [partner, theirs, ours],
  ] as const) {
    const words = { updatingCapacity, otherCapacity, revealTimeout };
    copy.update({ channelId, updatingParticipant, ...words });
  }
}
