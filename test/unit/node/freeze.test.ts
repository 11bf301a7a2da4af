import { describe, expect, it } from 'vitest';
import { channelMachine } from '../../../machines/channel/chart.ts';
import { freezeChannels } from '../../../src/node/chain/freeze.ts';
import { rowOf, stateIn } from '../../../src/node/runtime/actors/kinds.ts';
import { AT_REST, addLock, openChannel } from '../../support/channel-makers.ts';
import { CHANNEL, stamped } from '../../support/makers.ts';
import { effectsOf, played } from '../../support/played.ts';
import { batchOf, openedStore } from '../../support/store.ts';

/** A store with one channel in this state. */
function storeWith(value: Parameters<typeof channelMachine.resolveState>[0]['value']) {
  const { context } = openChannel().snapshot;
  const store = openedStore();
  store.commit(batchOf({ actors: [rowOf(CHANNEL, { value, context })] }));
  const stored = () => {
    const [row] = store.loadActors();
    if (row === undefined) throw new Error('there is no channel');
    return stateIn(row);
  };
  return { store, stored, context };
}

describe('a channel out of an old copy of the database', () => {
  it.each([
    ['open', AT_REST, 'stale'],
    ['in a deposit', { opened: { deposit: 'depositing', withdraw: 'idle' } }, 'stale'],
    ['about to close', { closing: 'sound' }, { closing: 'stale' }],
  ])(
    'that is %s is frozen with all that it knows, and the operator is told',
    (_, value, frozen) => {
      const { store, stored, context } = storeWith(value);
      expect(freezeChannels(store, 5)).toEqual([CHANNEL]);
      expect(stored()).toEqual({ kind: 'channel', value: frozen, context });
      expect(store.alerts()).toMatchObject([
        { alert: 'stale_database', channel: CHANNEL, time: 5 },
      ]);
      const state = store.loadActors()[0]?.state;
      expect(store.journal.after(0, 9)).toMatchObject([
        { actor: CHANNEL, cause: 'outside', kind: 'event', time: 5 },
        { actor: CHANNEL, cause: 'outside', kind: 'keyframe', event: state },
      ]);
    },
  );

  it.each(['stale', { closing: 'stale' }, 'closed', 'settling', 'claiming'])(
    'that is %j stays as it is',
    (value) => {
      const { store, stored, context } = storeWith(value);
      expect(freezeChannels(store, 5)).toEqual([]);
      expect(stored()).toEqual({ kind: 'channel', value, context });
      expect(store.alerts()).toEqual([]);
    },
  );

  it('signs nothing any more, and can be closed', () => {
    const { store, stored, context } = storeWith(AT_REST);
    freezeChannels(store, 5);
    const { value } = stored();
    const channel = played(channelMachine, channelMachine.resolveState({ value, context }));
    const asked = channel.tell(addLock());
    expect(asked.snapshot.context).toEqual(context);
    expect(effectsOf(asked, 'send.message')).toEqual([]);
    const close = stamped({ type: 'cmd.close' as const, requestId: 'r' });
    expect(channel.tell(close).snapshot.value).toEqual({ closing: 'stale' });
  });
});
