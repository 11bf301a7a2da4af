/** What leaves a node once a batch is on disk, and in which order. */
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Reply, SendOnce, Tx } from '../../../machines/effects.ts';
import type { Afterwards } from '../../../src/node/runtime/commits/open-batch.ts';
import { createPerform } from '../../../src/node/runtime/commits/perform.ts';
import { createOutbox } from '../../../src/node/runtime/outbox/outbox.ts';
import { sync } from '../../support/channel-makers.ts';
import { CHANNEL, OWN, PARTNER, TOKEN } from '../../support/makers.ts';
import { OTHER_CHANNEL } from '../../support/payment-makers.ts';
import { updateOf } from '../../support/update-makers.ts';

const job: Tx = {
  type: 'tx.registerToken',
  from: 'node',
  key: 'j',
  deadlineBlock: null,
  token: TOKEN,
};
const answered: Reply = {
  type: 'reply.ok',
  requestId: 'r',
  value: { kind: 'channel', channel: 'c' },
};
const refused: Reply = { type: 'reply.error', requestId: 's', code: 'busy', detail: '' };
const posted = { type: 'publish', key: 'k', messageId: 7n } as const;
const processed: SendOnce = { type: 'send.processed', to: PARTNER, messageId: 1n };
const good = { type: 'report.route', route: [OWN, PARTNER], isGood: true } as const;

/** An outbox with one message of each of these channels, which are on disk. */
function outboxOf(...queues: string[]) {
  const box = createOutbox({ rows: [], drawId: () => BigInt(box.size()), elapsed: () => 0 });
  const message = updateOf(1n);
  for (const queue of queues) {
    const row = box.add({ type: 'send.message', key: queue, to: PARTNER, queue, message });
    box.stored(row.key, row.messageId);
  }
  return box;
}

/** What the node does after a commit, in order, as sentences. */
function performed(afterwards: readonly Afterwards[], changed: readonly string[] = []): string[] {
  const done: string[] = [];
  const note = (...words: unknown[]) => void done.push(words.join(' '));
  const perform = createPerform({
    publisher: {
      post: (key, messageId) => note('post', key, messageId),
      repeat(rows) {
        note('repeat', ...rows.map(({ key }) => key));
        for (const row of rows) row.isLeaving = true;
      },
      once: ({ type }) => note(type),
      flush: () => note('flush'),
    },
    outbox: outboxOf(CHANNEL, OTHER_CHANNEL),
    jobs: { submit: ({ key }) => note('submit', key), forget: (key) => note('forget', key) },
    questions: { answer: ({ requestId }) => note('answer', requestId) },
    news: [{ announce: () => note('feed') }, { announce: () => note('journal') }],
    announceChannels: (ids) => note('announce', ...ids),
    reportRoute: (route, isGood) => note('report', route.length, isGood),
    sweep: () => note('sweep'),
    fault: (point) => note(point),
  });
  perform(afterwards, new Set(changed));
  return done;
}

/** The same without what is done after each commit. */
const doneFor = (...afterwards: Afterwards[]) =>
  performed(afterwards).filter((one) => !['announce', 'flush', 'feed', 'journal'].includes(one));

describe('a batch that is on disk', () => {
  it('reaches the services, then the chain, then partners, and callers only after all of these', () => {
    expect(performed([good, answered, refused, job, posted], [CHANNEL])).toEqual([
      `announce ${CHANNEL}`,
      'submit j',
      'post k 7',
      'flush',
      'reply.before',
      'answer r',
      'reply.before',
      'answer s',
      'report 2 true',
      'feed',
      'journal',
    ]);
  });

  it('reaches a caller who is alone, and what this one does about it, before anything is signed', async () => {
    const done = performed([posted, answered]);
    expect(done).not.toContain('flush');
    await nextTick();
    expect(done.slice(-1)).toEqual(['flush']);
    expect(done).toContain('answer r');
  });

  it('that asks for nothing still shows what it changed', () => {
    expect(performed([], [CHANNEL])).toEqual([`announce ${CHANNEL}`, 'flush', 'feed', 'journal']);
  });

  it('sends each message in the place in which it was asked for', () => {
    const { message } = sync();
    const once = { type: 'send.sync', to: PARTNER, message } as const;
    expect(doneFor(processed, posted, once)).toEqual(['send.processed', 'post k 7', 'send.sync']);
  });

  it('repeats what one channel still has to say, and nothing of another', () => {
    expect(doneFor({ type: 'resend', queue: CHANNEL })).toEqual([`repeat ${CHANNEL}`]);
  });

  it('repeats it once, however often the partner asked for it', () => {
    const asked = Array.from(
      { length: 1_000 },
      () => ({ type: 'resend', queue: CHANNEL }) as const,
    );
    expect(doneFor(...asked)).toEqual([`repeat ${CHANNEL}`]);
  });

  it('forgets a job that has ended, and begins to delete what a channel left that is gone', () => {
    const ended = { type: 'forgetJob', key: 'j' } as const;
    const gone = { type: 'sweep' } as const;
    expect(doneFor(ended, gone)).toEqual(['forget j', 'sweep']);
  });

  it('answers callers whether they are given what they want or refused, each after its fault point', () => {
    const both = ['reply.before', 'answer r', 'reply.before', 'answer s'];
    expect(doneFor(answered, refused)).toEqual(both);
  });

  it('tells the service that gave a route how the payment ended', () => {
    const bad = { ...good, isGood: false };
    expect(doneFor(good, bad)).toEqual(['report 2 true', 'report 2 false']);
  });

  it('does each thing once', () => {
    const all = [posted, processed, job, answered, good] as const;
    expect(doneFor(...all)).toHaveLength(all.length + 1);
  });
});
