import { describe, expect, it } from 'vitest';
import type { ChannelContext } from '../../../machines/channel/context.ts';
import type { StoredState } from '../../../src/node/runtime/actors/kinds.ts';
import { createUnsafeChannels } from '../../../src/node/runtime/knowledge/unsafe-channels.ts';
import { AT_REST, openChannel } from '../../support/channel-makers.ts';
import { CHANNEL, PARTNER, TOKEN } from '../../support/makers.ts';

function stateOf(
  patch: Partial<ChannelContext>,
  value: StoredState['value'] = AT_REST,
): StoredState {
  return { kind: 'channel', value, context: { ...openChannel().snapshot.context, ...patch } };
}

describe('channels with unsafe timeouts', () => {
  it('are known while they are open and their timeouts are too short', () => {
    const unsafe = createUnsafeChannels();
    unsafe.note(CHANNEL, stateOf({}));
    expect(unsafe.all()).toEqual([]);
    unsafe.note(CHANNEL, stateOf({ settleTimeout: 1n }));
    expect(unsafe.all()).toEqual([{ partner: PARTNER, token: TOKEN }]);
    unsafe.note(CHANNEL, stateOf({ settleTimeout: 1n }, 'closed'));
    expect(unsafe.all()).toEqual([]);
  });

  it('are forgotten with the channel', () => {
    const unsafe = createUnsafeChannels();
    unsafe.note(CHANNEL, stateOf({ settleTimeout: 1n }));
    unsafe.forget(CHANNEL);
    expect(unsafe.all()).toEqual([]);
  });
});
