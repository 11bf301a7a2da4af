/** What a batch has to be written for. */
import { describe, expect, it } from 'vitest';
import { fill, isForDisk, openBatch } from '../../../src/node/runtime/commits/open-batch.ts';
import { PARTNER } from '../../support/makers.ts';

const MESSAGE = {
  key: 'k',
  queue: null,
  recipient: PARTNER,
  messageId: 1n,
  nonce: null,
  giver: null,
  body: '',
};
const ROW = { id: 'a', kind: 'node', version: 1, state: '' };

/** A batch that these actors have changed, with these messages that are new and done. */
function gathered({ changed = [''], posted = [''], done = [''] }) {
  const open = openBatch();
  for (const id of changed.filter(Boolean)) open.changed.add(id);
  for (const key of posted.filter(Boolean)) open.posted.set(key, { ...MESSAGE, key });
  for (const key of done.filter(Boolean)) open.done.add(key);
  return open;
}

describe('a batch', () => {
  it('need not be on disk when nothing has happened', () => {
    expect(isForDisk(openBatch())).toBe(false);
  });

  it.each<[string, Parameters<typeof gathered>[0]]>([
    ['an actor has changed', { changed: ['a'] }],
    ['a message is new', { posted: ['k'] }],
    ['a message is done', { done: ['k'] }],
    ['an actor has changed and said something', { changed: ['a'], posted: ['k'] }],
    ['one message has followed another', { posted: ['k'], done: ['j'] }],
    ['an actor has changed because a message is done', { changed: ['a'], done: ['k'] }],
  ])('has to be on disk when %s', (_, parts) => {
    expect(isForDisk(gathered(parts))).toBe(true);
  });

  it('has to be on disk when blocks have passed in which nothing happened', () => {
    const open = openBatch();
    open.batch.cursor = { block: 5n, hash: '0x05' };
    expect(isForDisk(open)).toBe(true);
  });

  it('has to be on disk when a row of any table is in it', () => {
    const open = openBatch();
    open.batch.jobsDone.push('job');
    expect(isForDisk(open)).toBe(true);
  });

  it('holds the rows of the changed actors that are still there, and its messages', () => {
    const open = gathered({ changed: ['a', 'gone'], posted: ['k'], done: ['j'] });
    fill(open, (id) => (id === ROW.id ? ROW : null));
    expect(open.batch.actors).toEqual([ROW]);
    expect(open.batch.outbox).toEqual([MESSAGE]);
    expect(open.batch.outboxDone).toEqual(['j']);
  });
});
