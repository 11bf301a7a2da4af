import { describe, expect, it } from 'vitest';
import { askedBy } from '../../../machines/base/asking.ts';
import { openChannel } from '../../support/channel-makers.ts';
import {
  channelSettled,
  closeAnswer,
  closeOf,
  join,
  leave,
  leftChannel,
  openingKeys,
} from '../../support/connection-makers.ts';
import {
  blockReached,
  CHANNEL,
  closed,
  NOW,
  OWN,
  STRANGER,
  settled,
  txDone,
  txFailed,
} from '../../support/makers.ts';
import {
  channelOpened,
  command,
  NETWORK_ACTOR,
  type PlayedNetwork,
  tokenNetwork,
} from '../../support/payment-makers.ts';
import { effectOf, effectsOf } from '../../support/played.ts';

const OTHER = `${CHANNEL}2`;
const leaving = tokenNetwork().tell(leave([CHANNEL, OTHER]));
const contextOf = ({ snapshot }: PlayedNetwork) => snapshot.context;
const isOver = ({ snapshot }: PlayedNetwork) =>
  snapshot.context.leave === null && snapshot.matches({ registered: 'idle' });
/** The channels that are being left: how far each is, and how often its close has failed. */
const stepsOf = (network: PlayedNetwork) =>
  contextOf(network).leave?.channels.map(({ channel, state, tries }) => [channel, state, tries]);
const left = (requestId: string, ...channels: string[]) => ({
  type: 'reply.ok',
  requestId,
  value: { kind: 'left', channels: channels.map((channel) => leftChannel(channel)) },
});

describe('a leave', () => {
  it('closes every channel', () => {
    expect(leaving.effects).toEqual([closeOf(CHANNEL), closeOf(OTHER)]);
    expect(leaving.snapshot.value).toEqual({ registered: 'leaving' });
    expect(stepsOf(leaving)).toEqual([
      [CHANNEL, 'asked', 0],
      [OTHER, 'asked', 0],
    ]);
  });

  it('is answered when all are settled, with the channels as they were at their close', () => {
    const half = leaving.tell(closeAnswer(null), closeAnswer(null, OTHER), channelSettled(OTHER));
    expect(half.effects).toEqual([]);
    const done = half.tell(channelSettled());
    expect(done.effects).toEqual([left('leave', OTHER, CHANNEL)]);
    expect(isOver(done)).toBe(true);
    expect(done.tell(channelSettled()).effects).toEqual([]);
  });

  it('is answered at once when there is nothing to close', () => {
    const done = tokenNetwork().tell(leave());
    expect(done.effects).toEqual([left('leave')]);
    expect(isOver(done)).toBe(true);
  });

  it('counts no channel that is none of its own', () => {
    const third = `${CHANNEL}3`;
    for (const event of [closeAnswer('transaction_failed', third), channelSettled(third)]) {
      const after = leaving.tell(event);
      expect(after.effects).toEqual([]);
      expect(contextOf(after)).toEqual(contextOf(leaving));
    }
  });

  it('waits for channels that are being wound up already', () => {
    const waiting = tokenNetwork().tell(leave([CHANNEL]), closeAnswer('channel_not_open'));
    expect(contextOf(waiting).wakeBlock).toBeNull();
    expect(waiting.tell(channelSettled()).effects).toEqual([left('leave', CHANNEL)]);
  });

  it('drops the free funds of a join', () => {
    const joined = tokenNetwork().tell(join({ candidates: [] }));
    expect(contextOf(joined.tell(leave())).connection).toBeNull();
    const again = joined.tell(leave(), join({ requestId: 'again', candidates: [] }));
    expect(contextOf(again).connection?.free).toBe(100n);
  });

  it('that is asked for again is answered with the first, and closes new channels too', () => {
    const again = leaving.tell(leave([OTHER, `${CHANNEL}3`], 'again'));
    expect(again.effects).toEqual([closeOf(`${CHANNEL}3`)]);
    const done = again.tell(...[CHANNEL, OTHER, `${CHANNEL}3`].map(channelSettled));
    expect(done.effects).toEqual([
      left('leave', CHANNEL, OTHER, `${CHANNEL}3`),
      left('again', CHANNEL, OTHER, `${CHANNEL}3`),
    ]);
  });

  it('lets nobody open or join', () => {
    const refused = leaving.tell(command.open(), join());
    expect(refused.effects).toMatchObject([
      { type: 'reply.error', requestId: 'open', code: 'busy' },
      { type: 'reply.error', requestId: 'join', code: 'busy' },
    ]);
    for (const { detail } of effectsOf(refused, 'reply.error')) expect(detail).toMatch(/leaving/);
  });
});

describe('an opening that is on its way during a leave', () => {
  const opening = tokenNetwork().tell(command.open());
  const [key = ''] = openingKeys(opening);

  it('is waited for, and its channel closed', () => {
    const waiting = opening.tell(leave());
    expect(waiting.effects).toEqual([]);
    const opened = waiting.tell(channelOpened(), txDone(key));
    expect(effectsOf(opened, 'notify')).toEqual([closeOf()]);
    expect(effectsOf(opened, 'reply.ok')).toMatchObject([{ requestId: 'open' }]);
    expect(opened.tell(channelSettled()).effects).toEqual([left('leave', CHANNEL)]);
  });

  it('has its channel closed once when the channel is already there', () => {
    const spawned = opening.tell(channelOpened()).tell(leave([CHANNEL]));
    expect(effectsOf(spawned, 'notify')).toEqual([closeOf()]);
    const ended = spawned.tell(channelSettled());
    expect(ended.effects).toEqual([]);
    const done = ended.tell(txDone(key));
    expect(effectsOf(done, 'notify')).toEqual([]);
    expect(effectsOf(done, 'reply.ok')).toEqual([
      expect.objectContaining({ requestId: 'open' }),
      left('leave', CHANNEL),
    ]);
  });

  it('whose channel the partner opened is closed, too', () => {
    const opened = opening.tell(leave(), channelOpened(), txFailed(key));
    expect(effectsOf(opened, 'notify')).toEqual([closeOf()]);
  });

  it('that fails leaves nothing to wait for', () => {
    const failed = opening.tell(leave(), txFailed(key));
    expect(effectsOf(failed, 'reply.ok')).toEqual([left('leave')]);
    expect(isOver(failed)).toBe(true);
  });
});

describe('a channel that others open during a leave', () => {
  it('is not part of it', () => {
    const spawned = leaving.tell(channelOpened({ participant1: STRANGER, participant2: OWN }));
    expect(effectsOf(spawned, 'notify')).toEqual([]);
    expect(effectsOf(spawned, 'spawn.channel')).toHaveLength(1);
  });
});

describe('a close that fails during a leave', () => {
  it('for want of gas is the answer to the leave, once, and ends it', () => {
    const failed = leaving.tell(closeAnswer('insufficient_gas'));
    expect(failed.effects).toEqual([
      { type: 'reply.error', requestId: 'leave', code: 'insufficient_gas', detail: 'why' },
    ]);
    expect(isOver(failed)).toBe(true);
    const rest = [closeAnswer('insufficient_gas', OTHER), channelSettled(OTHER)] as const;
    expect(failed.tell(...rest).effects).toEqual([]);
    expect(effectsOf(failed.tell(leave([CHANNEL], 'again')), 'notify')).toEqual([closeOf()]);
  });

  it('is tried again after some blocks: the partner may have closed', () => {
    const reverted = leaving.tell(closeAnswer('transaction_failed'));
    expect(reverted.effects).toEqual([]);
    expect(contextOf(reverted).wakeBlock).toBe(NOW + 5n);
    const again = reverted.tell(blockReached(NOW + 5n));
    expect(again.effects).toEqual([closeOf()]);
    expect(contextOf(again).wakeBlock).toBeNull();
    const done = again.tell(
      closeAnswer('channel_not_open'),
      ...[CHANNEL, OTHER].map(channelSettled),
    );
    expect(done.effects).toEqual([left('leave', CHANNEL, OTHER)]);
  });

  it('is tried again for the channel that failed alone, and once at a time', () => {
    const failed = leaving.tell(closeAnswer(null), closeAnswer('transaction_failed', OTHER));
    expect(stepsOf(failed)).toEqual([
      [CHANNEL, 'closed', 0],
      [OTHER, 'again', 1],
    ]);
    const again = failed.tell(blockReached(NOW + 5n));
    expect(again.effects).toEqual([closeOf(OTHER)]);
    expect(stepsOf(again)).toEqual([
      [CHANNEL, 'closed', 0],
      [OTHER, 'asked', 1],
    ]);
    expect(again.tell(blockReached(NOW + 10n)).effects).toEqual([]);
  });

  it('after the channel was closed is no reason to ask it again', () => {
    const shut = leaving.tell(closeAnswer(null));
    const late = shut.tell(closeAnswer('transaction_failed'));
    expect(late.effects).toEqual([]);
    expect(contextOf(late)).toEqual(contextOf(shut));
  });

  it('three times is the answer to the leave', () => {
    const retried = [1, 2].reduce(
      (network) => network.tell(closeAnswer('transaction_failed'), blockReached(NOW + 5n)),
      leaving,
    );
    expect(effectsOf(retried, 'reply.error')).toEqual([]);
    const failed = retried.tell(closeAnswer('transaction_failed'));
    expect(effectsOf(failed, 'reply.error')).toMatchObject([
      { requestId: 'leave', code: 'transaction_failed' },
    ]);
    expect(contextOf(failed)).toMatchObject({ leave: null, wakeBlock: null });
  });

  it('because another caller is closing is tried again until that close has ended', () => {
    let network = leaving;
    for (let n = 0; n < 5; n++) {
      network = network.tell(closeAnswer('busy'), blockReached(NOW + 5n));
      expect(network.effects).toEqual([closeOf()]);
    }
    expect(network.snapshot.value).toEqual({ registered: 'leaving' });
  });

  it('ends a leave, but not the join that is on its way', () => {
    const joining = tokenNetwork().tell(join());
    const [key = ''] = openingKeys(joining);
    const failed = joining.tell(leave([OTHER]), closeAnswer('insufficient_gas', OTHER));
    expect(failed.snapshot.value).toEqual({ registered: 'joining' });
    const done = failed.tell(channelOpened(), txDone(key));
    expect(effectsOf(done, 'reply.ok')).toMatchObject([{ requestId: 'join' }]);
    expect(effectsOf(done, 'notify').map(({ event }) => event.type)).toEqual(['actor.funded']);
    expect(done.snapshot.value).toEqual({ registered: 'idle' });
  });
});

describe('a channel that the token network closes', () => {
  const requestId = askedBy(NETWORK_ACTOR, CHANNEL);
  const closing = openChannel().tell(command.close(requestId));
  const { key } = effectOf(closing, 'tx.close');
  const answer = (failure: { code: string; detail: string } | null) => ({
    type: 'notify',
    to: NETWORK_ACTOR,
    event: { type: 'actor.answered', about: CHANNEL, failure },
  });

  it('tells the token network that it is closed', () => {
    expect(closing.tell(closed(OWN)).effects).toContainEqual(answer(null));
    expect(effectsOf(closing.tell(closed(OWN)), 'reply.ok')).toEqual([]);
  });

  it('tells the token network why it did not close', () => {
    expect(closing.tell(txFailed(key, 'insufficient_gas')).effects).toEqual([
      answer({ code: 'insufficient_gas', detail: 'why' }),
    ]);
    expect(openChannel().tell(command.close(), command.close(requestId)).effects.at(-1)).toEqual(
      answer({ code: 'busy', detail: '' }),
    );
    expect(closing.tell(closed(OWN)).tell(command.close(requestId)).effects).toEqual([
      answer({ code: 'channel_not_open', detail: '' }),
    ]);
  });

  it('tells the token network that it is settled', () => {
    const gone = closing.tell(closed(OWN), settled());
    expect(effectsOf(gone, 'notify').at(-1)).toMatchObject({
      to: NETWORK_ACTOR,
      event: { type: 'actor.channelSettled', left: { channel: CHANNEL } },
    });
  });
});
