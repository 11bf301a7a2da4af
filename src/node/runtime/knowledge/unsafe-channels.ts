/**
 * The open channels that take no locks: because their timeouts are too short for what this node needs, or because an old
 * copy of the database has run. They are noted as channels change: to look for them, all channels would have to be read.
 */
import type { ChannelContext, ChannelTag } from '../../../../machines/channel/context.ts';
import { timeoutsRefusal } from '../../../../machines/channel/timeouts.ts';
import { channelTags, type Tags } from '../../../../machines/tags.ts';
import type { StoredState } from '../actors/kinds.ts';

export type UnsafeChannel = Pick<ChannelContext, 'partner' | 'token'>;

export const createUnsafeChannels = () =>
  createNotedChannels(
    (tags, context) => tags.has('takesLocks') && timeoutsRefusal(context) !== null,
  );

/** Those that can only be closed. */
export const createFrozenChannels = () => createNotedChannels((tags) => tags.has('isFrozen'));

function createNotedChannels(
  isNoted: (tags: Tags<ChannelTag>, context: ChannelContext) => boolean,
) {
  const noted = new Map<string, UnsafeChannel>();
  return {
    /** Called when an actor is spawned or its state has changed. */
    note(id: string, { kind, value, context }: StoredState): void {
      if (kind !== 'channel') return;
      const { partner, token } = context;
      if (!isNoted(channelTags(value), context)) noted.delete(id);
      else if (!noted.has(id)) noted.set(id, { partner, token });
    },
    /** Called when an actor has ended. */
    forget: (id: string): void => void noted.delete(id),
    /** The one that has been noted for longest comes first. */
    all: (): UnsafeChannel[] => [...noted.values()],
  };
}
