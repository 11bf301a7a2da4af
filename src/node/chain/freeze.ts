/** What is done when the database is known to be an old copy, before a node runs on it and afterwards. */

import type { StateValue } from 'xstate';
import type { ChainLog } from '../../../machines/events/chain.ts';
import { channelTags, stateText } from '../../../machines/tags.ts';
import { emptyBatch } from '../../store/base/batch.ts';
import type { Store } from '../../store/store.ts';
import { kindOf, rowOf, stateIn } from '../runtime/actors/kinds.ts';
import type { Delivery } from '../runtime/commits/delivery.ts';
import type { LogRouter } from './logs.ts';

/**
 * Puts every open channel into a state in which nothing is signed any more, as if its partner had proved the database
 * stale; from there the channel can be closed. `time` is milliseconds since 1970. Answers the ids of these channels.
 */
export function freezeChannels(store: Store, time: number): string[] {
  const batch = { ...emptyBatch(), time };
  for (const row of store.loadActors()) {
    if (kindOf(row.id) !== 'channel') continue;
    const { value, context } = stateIn(row);
    const frozen = frozenValue(value);
    if (frozen === null) continue;
    const after = rowOf(row.id, { value: frozen, context });
    batch.actors.push(after);
    const detail = 'an old copy of the database was accepted: the channel can only be closed';
    batch.alerts.push({ type: 'record.alert', alert: 'stale_database', channel: row.id, detail });
    const step = {
      actor: row.id,
      cause: 'outside',
      causedBy: null,
      state: stateText(frozen),
      version: after.version,
      block: store.cursor()?.block ?? 0n,
      time,
    };
    // No machine handles this event: the keyframe after it holds the resulting state.
    batch.journal.push(
      { ...step, kind: 'event', event: '{"type":"frozen"}' },
      { ...step, kind: 'keyframe', event: after.state },
    );
  }
  store.commit(batch);
  store.sync();
  return batch.alerts.map(({ channel }) => channel);
}

/** The frozen form of a state; null when nothing is signed for the partner in this state anyway. */
function frozenValue(value: StateValue): StateValue | null {
  const tags = channelTags(value);
  if (!tags.has('signsForLocks')) return null;
  return tags.has('takesLocks') ? 'stale' : { closing: 'stale' };
}

/**
 * Freezes the channels that appear while the chain is read again after an old copy was accepted: this key has signed in
 * them, and the copy does not know what. Channels that appear later are new.
 */
export function createRereading(
  store: Pick<Store, 'isRereading' | 'endRereading'>,
  { channelOf }: Pick<LogRouter, 'channelOf'>,
) {
  let isGoingOn = store.isRereading();
  return {
    /** Deliveries that follow the log's own deliveries, in the same turn. */
    deliveriesOf(log: ChainLog): Delivery[] {
      const isOpening = isGoingOn && log.type === 'chain.channelOpened';
      const channel = isOpening ? channelOf(log) : null;
      return channel === null ? [] : [{ to: channel, event: { type: 'actor.oldCopy' } }];
    },
    /** Called when every confirmed block was read. */
    end() {
      if (isGoingOn) store.endRereading();
      isGoingOn = false;
    },
  };
}
