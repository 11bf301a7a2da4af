/**
 * The open channels that take no locks, because their timeouts are too short for what this node needs. They are noted
 * as channels change: to look for them, all channels would have to be read.
 */
import type { ChannelContext } from '../../../machines/channel/context.ts';
import { isOpen } from '../../../machines/channel/phase.ts';
import { timeoutsRefusal } from '../../../machines/channel/timeouts.ts';
import { type StoredState, stateText } from './kinds.ts';

export type UnsafeChannel = Pick<ChannelContext, 'partner' | 'token'>;

export function createUnsafeChannels() {
  const unsafe = new Map<string, UnsafeChannel>();
  return {
    /** Called when an actor is spawned or its state has changed. */
    note(id: string, { kind, value, context }: StoredState): void {
      if (kind !== 'channel') return;
      const { partner, token } = context;
      const isUnsafe = isOpen(stateText(value)) && timeoutsRefusal(context) !== null;
      if (!isUnsafe) unsafe.delete(id);
      else if (!unsafe.has(id)) unsafe.set(id, { partner, token });
    },
    /** Called when an actor has ended. */
    forget: (id: string): void => void unsafe.delete(id),
    /** The one that has been unsafe for longest comes first. */
    all: (): UnsafeChannel[] => [...unsafe.values()],
  };
}
