/** Whoever repeats a call under its key while it is under way is told what was decided, and not how things are by then. */
import { expect, it } from 'vitest';
import { createAnswers, createKeyed } from '../../../src/node/api/keyed.ts';
import type { ChannelView } from '../../../src/node/runtime/actors/channel-states.ts';
import { createQuestions } from '../../../src/node/runtime/commits/questions.ts';
import type { StoredCall } from '../../../src/store/tables/calls.ts';
import { channelView, HASH, OWN } from '../http/fake-node.ts';

const KEYED = { caller: HASH, key: HASH, content: HASH } as const;
const REPLY = {
  type: 'reply.ok',
  requestId: 'request:1',
  value: { kind: 'channel', channel: 'c' },
} as const;

it('a repeated call hears of the channel as it was when it was decided', async () => {
  let now: ChannelView = channelView();
  const { answeredIn, textOf } = createAnswers({ own: OWN, view: () => now });
  const call: StoredCall = { ...KEYED, paymentId: null, request: REPLY.requestId, answer: null };
  const questions = createQuestions('1');
  const { earlierCall } = createKeyed({
    calls: { find: () => call, isFull: () => false },
    redemptions: { find: () => null },
    wait: questions.wait,
    answeredIn,
    flush() {},
  });
  const before = now;
  const answer = earlierCall(KEYED)?.answer();
  call.answer = textOf(REPLY);
  now = { ...now, balance: now.balance + 1n };
  questions.answer(REPLY);
  const value = { kind: 'channel', channel: before };
  expect(await answer).toEqual({ ok: true, value });
});
