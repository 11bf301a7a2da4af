import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../machines/effects.ts';
import { createCalls } from '../../../src/node/runtime/knowledge/calls.ts';
import { type CallRow, emptyBatch } from '../../../src/store/base/batch.ts';
import type { StoredCall } from '../../../src/store/tables/calls.ts';
import { hashOf } from '../../support/makers.ts';

const row = (key: number, request = 'request:1'): CallRow => ({
  caller: hashOf(1),
  key: hashOf(key),
  content: hashOf(3),
  request,
  paymentId: null,
});
const refused: Reply = { type: 'reply.error', requestId: 'request:1', code: 'busy', detail: '' };
const textOf = (reply: Reply) => `the answer to ${reply.requestId}`;

/** The calls of a process on a disk that has these, and room for so many. */
function calls(stored: StoredCall[] = [], most = 10) {
  const clock = { ms: 0 };
  const store = {
    callsUnderWay: () => stored.filter(({ answer }) => answer === null),
    findCall: ({ key }: Pick<CallRow, 'key'>) => stored.find((one) => one.key === key) ?? null,
    countCalls: () => stored.length,
  };
  const made = createCalls({ store, textOf, elapsed: () => clock.ms }, most);
  return { ...made, stored, clock };
}

describe('a call with a key', () => {
  it('is known from the turn that begins it, and its answer from the one that decides it', () => {
    const { begin, end, find, forget } = calls();
    const batch = emptyBatch();
    begin(batch, row(7));
    expect(batch.calls).toEqual([row(7)]);
    expect(find(row(7))?.answer).toBeNull();
    end(batch, refused, false);
    expect(batch.callsEnded).toMatchObject([{ key: hashOf(7), answer: textOf(refused) }]);
    expect(find(row(7))?.answer).toBe(textOf(refused));
    forget(batch);
    expect(find(row(7))).toBeNull();
  });

  it('leaves nothing when it is refused in the turn that asks', () => {
    const { begin, end, find } = calls();
    const batch = emptyBatch();
    begin(batch, row(7));
    begin(batch, row(8, 'request:2'));
    end(batch, refused, true);
    expect([batch.calls, batch.callsEnded]).toEqual([[row(8, 'request:2')], []]);
    expect(find(row(7))).toBeNull();
  });

  it('gets its answer in a later process, together with those that joined it', () => {
    const { end, find } = calls([7, 8].map((key) => ({ ...row(key), answer: null })));
    const batch = emptyBatch();
    end(batch, refused, false);
    expect(batch.callsEnded.map(({ key }) => key)).toEqual([7, 8].map(hashOf));
    expect([7, 8].map((key) => find(row(key))?.answer)).toEqual([7, 8].map(() => textOf(refused)));
    end(batch, refused, false);
    expect(batch.callsEnded).toHaveLength(2);
  });

  it('cannot begin a second thing', () => {
    const { begin } = calls([{ ...row(7), answer: '' }]);
    expect(() => begin(emptyBatch(), row(7))).toThrow();
  });

  it('has no room when its caller has too many, until some are forgotten', () => {
    const { begin, end, isFull, stored, clock } = calls([], 2);
    const batch = emptyBatch();
    begin(batch, row(7));
    expect(isFull(row(9))).toBe(false);
    begin(batch, row(8, 'request:2'));
    expect(isFull(row(9))).toBe(true);
    // One that begins nothing takes no room.
    end(batch, refused, true);
    expect(isFull(row(9))).toBe(false);
    begin(batch, row(9));
    stored.push({ ...row(9), answer: '' });
    expect(isFull(row(10))).toBe(true);
    clock.ms = 60_000;
    expect(isFull(row(10))).toBe(false);
  });
});
