/** What a batch has to be written for. */
import { describe, expect, it } from 'vitest';
import { openBatch } from '../../../src/node/runtime/commits/open-batch.ts';
import { PARTNER } from '../../support/makers.ts';

const MESSAGE = {
  key: 'k',
  queue: null,
  recipient: PARTNER,
  messageId: 1n,
  nonce: null,
  givers: [],
  body: '',
};
const ROW = { id: 'a', kind: 'node', version: 1, state: '' };

/** A batch that these actors have changed, with these messages that are new and done. */
function gathered({ changed = [''], posted = [''], done = [''] }) {
  const open = openBatch();
  for (const id of changed.filter(Boolean)) open.change(id);
  for (const key of posted.filter(Boolean)) open.post({ ...MESSAGE, key }, false);
  for (const key of done.filter(Boolean)) open.settle(key);
  return open;
}

const sealed = (open: ReturnType<typeof openBatch>) =>
  open.seal((id) => (id === ROW.id ? ROW : null), { journal: [], time: 7, block: 8n });

describe('a batch', () => {
  it('need not be on disk when nothing has happened', () => {
    expect(openBatch().isForDisk()).toBe(false);
  });

  it.each<[string, Parameters<typeof gathered>[0]]>([
    ['an actor has changed', { changed: ['a'] }],
    ['a message is new', { posted: ['k'] }],
    ['a message is done', { done: ['k'] }],
    ['an actor has changed and said something', { changed: ['a'], posted: ['k'] }],
    ['one message has followed another', { posted: ['k'], done: ['j'] }],
    ['an actor has changed because a message is done', { changed: ['a'], done: ['k'] }],
  ])('has to be on disk when %s', (_, parts) => {
    expect(gathered(parts).isForDisk()).toBe(true);
  });

  it('has to be on disk when blocks have passed in which nothing happened', () => {
    const open = openBatch();
    open.batch.cursor = { block: 5n, hash: '0x05' };
    expect(open.isForDisk()).toBe(true);
  });

  it('has to be on disk when a row of any table is in it', () => {
    const open = openBatch();
    open.batch.jobsDone.push('job');
    expect(open.isForDisk()).toBe(true);
  });

  it('holds the rows of the changed actors that are still there, and its messages', () => {
    const open = gathered({ changed: ['a', 'gone'], posted: ['k'], done: ['j'] });
    const { batch, changed } = sealed(open);
    expect(batch).toMatchObject({ actors: [ROW], outbox: [MESSAGE], outboxDone: ['j'] });
    expect(batch).toMatchObject({ time: 7, block: 8n });
    expect([...changed]).toEqual(['a', 'gone']);
  });

  it('writes nothing of a message that is done in it, and of an older one that it replaces the end', () => {
    const once = gathered({ posted: ['k'], done: ['k'] });
    expect(sealed(once).batch).toMatchObject({ outbox: [], outboxDone: [] });
    const newer = openBatch();
    newer.post(MESSAGE, true);
    newer.settle('k');
    expect(sealed(newer).batch).toMatchObject({ outbox: [], outboxDone: ['k'] });
    const again = gathered({ done: ['k'] });
    again.post(MESSAGE, false);
    again.settle('k');
    expect(sealed(again).batch).toMatchObject({ outbox: [], outboxDone: ['k'] });
  });

  it('writes no state of an actor that has ended', () => {
    const open = gathered({ changed: ['a'] });
    open.retire('a', { isEnded: true, isGone: true });
    const { batch, afterwards } = sealed(open);
    expect(batch).toMatchObject({ actors: [], retired: ['a'], ended: ['a'], gone: ['a'] });
    expect(afterwards).toEqual([{ type: 'sweep' }]);
    open.unretire('a');
    expect(batch.retired).toEqual([]);
  });
});
