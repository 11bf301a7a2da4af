/** What a node knows of its own channels, in the shape in which copies of a token network take it. */
import { isOpen } from '../../../machines/channel/phase.ts';
import { revealTimeoutInForce, timeoutsRefusal } from '../../../machines/channel/timeouts.ts';
import { distributable } from '../../protocol/channel-end.ts';
import type { Address } from '../../protocol/hex.ts';
import type { TokenNetwork } from '../../routing/network.ts';
import type { channelState } from './channel-states.ts';

/** What a node knows without asking anybody. */
export type OwnChannels = {
  /** The actors of this node's channels, of all tokens. */
  channels(): readonly string[];
  stateOf(channel: string): ReturnType<typeof channelState>;
  /** False: it is known that the node is not there. */
  mayBeThere(address: Address): boolean;
};
type ChannelState = NonNullable<ReturnType<OwnChannels['stateOf']>>;
type Known = Pick<OwnChannels, 'channels' | 'stateOf'>;

/** `copyOf`: where it is written; null while that cannot be told anything, undefined: there is no such copy. */
export function createOwnWord(
  { channels, stateOf }: Known,
  copyOf: (tokenNetwork: Address) => Pick<TokenNetwork, 'update'> | null | undefined,
) {
  let changed: Set<string> | null = null;

  return {
    /** These actors were written. */
    changed(ids: ReadonlySet<string>) {
      for (const id of ids) if (id.startsWith('channel:')) changed?.add(id);
    },
    /** Writes what has changed since the last time; the first time everything. */
    tell() {
      const ids = changed ?? new Set(channels());
      changed = new Set();
      for (const id of ids) {
        const state = stateOf(id);
        const copy = state === null ? undefined : copyOf(state.channel.tokenNetwork);
        if (state === null || copy === undefined) continue;
        if (copy === null) changed.add(id);
        else tellOf(state, copy);
      }
    },
  };
}

/** What the channel can carry, as both sides' word. */
function tellOf({ channel, value }: ChannelState, copy: Pick<TokenNetwork, 'update'>): void {
  const { own, partner, ownEnd, partnerEnd, channelId } = channel;
  const isUsable = isOpen(value) && timeoutsRefusal(channel) === null;
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
