/** Takes a database back to the block of a reorganisation, before a node runs on it. */

import * as v from 'valibot';
import {
  rewoundChannel,
  rewoundKeeper,
  rewoundMediator,
  rewoundTarget,
} from '../../../../machines/rewind.ts';
import { stateText } from '../../../../machines/tags.ts';
import { channelLog } from '../../../contracts/channel-events.ts';
import { type Batch, emptyBatch } from '../../../store/base/batch.ts';
import type { Store } from '../../../store/store.ts';
import type { Fork } from '../../../store/tables/trail.ts';
import { kindOf, rowOf, type StoredState, stateIn } from './kinds.ts';

/**
 * In one commit: the cursor goes back to the fork, the logs above it are forgotten, and every actor whose state depends
 * on one of them goes back with it; the fork is remembered until the operator accepts it. `time` is milliseconds since
 * 1970. Answers the channels of which the chain has lost something.
 */
export function rewindStore(store: Store, fork: Fork, time: number): string[] {
  const changed = new Set(store.channelsAfter(fork.block));
  const batch: Batch = { ...emptyBatch(), fork, time, block: fork.block };
  const rewound: string[] = [];
  for (const row of store.loadActors()) {
    const state = stateIn(row);
    const after = stateAfter(store, row.id, state, { fork, changed });
    if (after === null) continue;
    note(batch, row.id, after, fork.block);
    if (kindOf(row.id) !== 'channel') continue;
    rewound.push(row.id);
    const detail = `the chain lost what it said of the channel above block ${fork.block}: it can only be closed`;
    batch.alerts.push({ type: 'record.alert', alert: 'chain_replaced', channel: row.id, detail });
  }
  // Waiting messages and jobs of a rewound channel are based on the lost logs, so they are dropped.
  for (const { key, queue } of store.loadOutbox())
    if (queue !== null && rewound.includes(queue)) batch.outboxDone.push(key);
  for (const { key, actor } of store.loadJobs())
    if (rewound.includes(actor)) batch.jobsDone.push(key);
  store.commit(batch);
  store.sync();
  return rewound;
}

type Lost = { fork: Fork; changed: ReadonlySet<string> };

function stateAfter(store: Store, id: string, state: StoredState, { fork, changed }: Lost) {
  switch (state.kind) {
    case 'channel': {
      if (!changed.has(id)) return null;
      const logs = [...store.logs(id, 0n)].flat().map(({ log }) => v.parse(channelLog, log));
      const left = logs.filter(({ at }) => at.block <= fork.block);
      const lost = logs.filter(({ at }) => at.block > fork.block);
      return rewoundChannel(state.context, { left, lost }, fork.block);
    }
    case 'target':
      return rewoundTarget(state.value, state.context, fork.block);
    case 'keeper':
      return rewoundKeeper(state.value, state.context, fork.block);
    case 'mediator':
      return rewoundMediator(state.value, state.context, fork.block);
    default:
      return null;
  }
}

type After = Pick<StoredState, 'value' | 'context'>;

function note(batch: Batch, id: string, after: After, block: bigint) {
  const row = rowOf(id, after);
  batch.actors.push(row);
  const step = {
    actor: id,
    cause: 'outside',
    causedBy: null,
    state: stateText(after.value),
    version: row.version,
    block,
    time: batch.time,
  };
  // No machine handles this event: the keyframe after it holds the resulting state.
  batch.journal.push(
    { ...step, kind: 'event', event: '{"type":"rewound"}' },
    { ...step, kind: 'keyframe', event: row.state },
  );
}
