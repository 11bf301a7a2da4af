import { describe, expect, it } from 'vitest';
import type { Batch, OutboxRow } from '../../../src/store/base/batch.ts';
import { contradictionIn } from '../../../src/store/base/batch.ts';
import { BOB, batchOf, openedStore, proofOf } from '../../support/store.ts';

const actor = (id: string) => ({ id, kind: 'mediator', version: 1, state: '{}' });
const message = (key: string): OutboxRow => ({
  key,
  queue: null,
  messageId: 1n,
  nonce: null,
  givers: [],
  body: '{}',
  recipient: BOB,
});
const job = (key: string) => ({ key, actor: 'channel:1', body: '{}' }) as const;

const CONTRADICTIONS: [string, Partial<Batch>][] = [
  ['an actor that is written and retired', { actors: [actor('a')], retired: ['a'] }],
  ['an actor that is written and marked as ended', { actors: [actor('a')], ended: ['a'] }],
  ['an actor that is written twice', { actors: [actor('a'), actor('a')] }],
  ['a message that is posted and done', { outbox: [message('m')], outboxDone: ['m'] }],
  ['a message that is posted twice', { outbox: [message('m'), message('m')] }],
  ['a job that is asked for and done', { jobs: [job('j')], jobsDone: ['j'] }],
  ['a job that is asked for twice', { jobs: [job('j'), job('j')] }],
];

describe('a batch with a contradiction', () => {
  it.each(CONTRADICTIONS)('is refused whole: %s', (_, parts) => {
    const store = openedStore();
    const batch = batchOf({ proofs: [proofOf({})], ...parts });
    expect(() => store.commit(batch)).toThrow(/a batch in which/);
    expect([store.loadActors(), store.loadOutbox(), store.loadJobs()]).toEqual([[], [], []]);
    expect(store.latestProofs('channel:1').own).toBeNull();
  });

  it('is none when its words are about different things', () => {
    const batch = batchOf({
      actors: [actor('a')],
      retired: ['b'],
      ended: ['b', 'registered:1'],
      outbox: [message('m')],
      outboxDone: ['n'],
      jobs: [job('j')],
      jobsDone: ['k'],
    });
    expect(contradictionIn(batch)).toBeNull();
  });
});
