/**
 * What this node tells path-finding services about its channels: what each side can send, and what mediation through
 * them costs. Nothing is kept on disk: a lost update is made good by the next one. Source: protocol section 7.2.
 */

import type { ChannelContext, ChannelTag } from '../../../machines/channel/context.ts';
import { canMediate } from '../../../machines/channel/timeouts.ts';
import type { Tags } from '../../../machines/tags.ts';
import { balance, distributable } from '../../protocol/channel/channel-end.ts';
import { scheduleOf } from '../../protocol/fees/fee-terms.ts';
import type { CapacityUpdate, FeeUpdate } from '../../protocol/services/pfs-update.ts';
import type { ServiceMessage } from '../../protocol/services/service-message-types.ts';
import { feesOf, type NodeSettings } from '../runtime/parts.ts';
import { timestampOf } from './timestamp.ts';

/** Least time between two updates of one channel: payments in quicker succession share one update. */
const PAUSE_MS = 250;
/** How many channels are announced per tick: of thousands a part each time, because an update costs two signatures. */
const CHANNELS_PER_TICK = 100;

type Options = {
  /** The tags of a channel's state and its context; null when it is gone. */
  stateOf(id: string): { tags: Tags<ChannelTag>; channel: ChannelContext } | null;
  fees: NodeSettings['fees'];
  /** Milliseconds since 1970. */
  now(): number;
};

/** What was last announced of a channel. */
type Told = { time: number; stamp: number; sizes: Sizes; isDoubted: boolean };
type Sizes = { own: bigint; partner: bigint; capacity: bigint; revealTimeout: bigint };

/** The messages still have to be signed and sent by the caller. */
export function createChannelUpdates({ stateOf, fees, now }: Options) {
  const told = new Map<string, Told>();
  const waiting = new Set<string>();

  /** A clock that was set back must not silence a channel. */
  const isPausing = (id: string) => Math.abs(now() - (told.get(id)?.time ?? -Infinity)) < PAUSE_MS;

  function feeUpdate(channel: ChannelContext, capacity: bigint, stamp: number): FeeUpdate {
    return {
      ...placeOf(channel),
      updatingParticipant: channel.own,
      schedule: scheduleOf(feesOf({ fees }, channel.token), capacity),
      timestamp: timestampOf(stamp),
    };
  }

  function updatesOf(id: string): ServiceMessage[] {
    waiting.delete(id);
    const state = stateOf(id);
    if (state === null || !state.tags.has('takesLocks')) {
      told.delete(id);
      return [];
    }
    const { channel } = state;
    const before = told.get(id);
    const known = before === undefined || before.isDoubted ? null : before.sizes;
    const sizes = sizesOf(channel);
    if (known !== null && isSame(known, sizes)) return [];
    const isCharged = known?.capacity !== sizes.capacity;
    // Services refuse a second fee update with the same time, so the time always grows.
    const stamp = isCharged ? Math.max(now(), (before?.stamp ?? 0) + 1) : (before?.stamp ?? 0);
    told.set(id, { time: now(), stamp, sizes, isDoubted: false });
    const capacities = { type: 'PFSCapacityUpdate', ...capacityUpdate(channel, sizes) } as const;
    if (!isCharged) return [capacities];
    return [
      capacities,
      { type: 'PFSFeeUpdate', ...feeUpdate(channel, sizes.capacity, stamp) } as const,
    ];
  }

  return {
    /** The updates of these channels; channels that were announced just now wait for `due`. */
    changed(ids: Iterable<string>): ServiceMessage[] {
      const messages: ServiceMessage[] = [];
      for (const id of ids) {
        if (isPausing(id)) waiting.add(id);
        else messages.push(...updatesOf(id));
      }
      return messages;
    },
    /**
     * Lets these channels be announced by `due` whatever was announced before, because it may not have been received.
     */
    doubt(ids: Iterable<string>) {
      for (const id of ids) {
        const before = told.get(id);
        if (before !== undefined) told.set(id, { ...before, isDoubted: true });
        waiting.add(id);
      }
    },
    hasWaiting: () => waiting.size > 0,
    /** The updates of channels that have waited; what does not fit is left for the next tick. */
    due(): ServiceMessage[] {
      const ids: string[] = [];
      for (const id of waiting) {
        if (ids.length === CHANNELS_PER_TICK) break;
        if (!isPausing(id)) ids.push(id);
      }
      return ids.flatMap(updatesOf);
    },
  };
}

/** The capacities to announce: 0 for a channel in which this node mediates nothing. */
function sizesOf(channel: ChannelContext): Sizes {
  const { ownEnd, partnerEnd, revealTimeout } = channel;
  const isUsable = canMediate(channel);
  return {
    own: isUsable ? distributable(ownEnd, partnerEnd) : 0n,
    partner: isUsable ? distributable(partnerEnd, ownEnd) : 0n,
    capacity: balance(ownEnd, partnerEnd) + balance(partnerEnd, ownEnd),
    revealTimeout,
  };
}

function isSame(a: Sizes, b: Sizes): boolean {
  return (
    a.own === b.own &&
    a.partner === b.partner &&
    a.capacity === b.capacity &&
    a.revealTimeout === b.revealTimeout
  );
}

function placeOf({ chainId, tokenNetwork, channelId }: ChannelContext) {
  return { chainId, tokenNetwork, channelId };
}

function capacityUpdate(channel: ChannelContext, { own, partner }: Sizes): CapacityUpdate {
  return {
    ...placeOf(channel),
    updatingParticipant: channel.own,
    otherParticipant: channel.partner,
    updatingNonce: channel.ownEnd.nonce,
    otherNonce: channel.partnerEnd.nonce,
    updatingCapacity: own,
    otherCapacity: partner,
    revealTimeout: channel.revealTimeout,
  };
}
