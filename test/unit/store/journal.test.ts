import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import type { JournalRow } from '../../../src/store/base/journal-block.ts';
import { openJournal } from '../../../src/store/history/journal.ts';
import { batchOf, hash, openedStore, stepOf, temporaryFolder } from '../../support/store.ts';

const END = Number.MAX_SAFE_INTEGER;
const A = 'channel:1';
const B = 'target:1';
const ofA = (parts: Partial<JournalRow> = {}) => stepOf({ actor: A, ...parts });
const ofB = (parts: Partial<JournalRow> = {}) => stepOf({ actor: B, ...parts });
const ORDER = { secrethash: hash(7), target: hash(8), route: [hash(9), hash(8)] };
const numbers = (entries: readonly { seq: number }[]) => entries.map(({ seq }) => seq);

/** Rows 1 to 6: the life of B between steps of A. */
function lives(url = ':memory:') {
  const store = openedStore({ url });
  const spawn = { kind: 'spawn', event: '{"id":1}' } as const;
  store.commit(batchOf({ journal: [ofA(), ofB({ ...spawn, cause: A, causedBy: 0 })] }));
  const stop = { kind: 'stop', event: '' } as const;
  const keyframe = { kind: 'keyframe', event: '{"value":{}}' } as const;
  store.commit(batchOf({ journal: [ofB(), ofA(keyframe), ofB({ ...stop, causedBy: 0 }), ofA()] }));
  return store;
}

describe('the journal', () => {
  it('counts steps and commits, also over a restart, and knows in which step one was told', () => {
    const url = `file:${join(temporaryFolder(), 'node.db')}`;
    lives(url).close();
    const store = openedStore({ url });
    store.commit(batchOf({}));
    store.commit(batchOf({ journal: [ofA(), ofB({ cause: A, causedBy: 0, state: 'waiting' })] }));
    const all = store.journal.after(0, 99);
    expect(numbers(all)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(all.map(({ commit }) => commit)).toEqual([1, 1, 2, 2, 2, 2, 3, 3]);
    expect(all.map(({ causeSeq }) => causeSeq)).toEqual([null, 1, null, null, 3, null, null, 7]);
    expect(all[7]).toEqual({
      seq: 8,
      commit: 3,
      kind: 'event',
      actor: B,
      cause: A,
      causeSeq: 7,
      event: '{}',
      state: 'waiting',
      version: 1,
      block: 5n,
      time: 7,
    });
  });

  it('keeps every row of a commit in its place, however many there are', () => {
    const store = openedStore();
    const counts = Array.from({ length: 45 }, (_, n) => n);
    for (const count of counts) {
      const named = (n: number) =>
        ofA({ event: `${count}.${n}`, causedBy: n === 0 ? null : n - 1 });
      store.commit(batchOf({ journal: Array.from({ length: count }, (_, n) => named(n)) }));
    }
    const rows = store.journal.after(0, 9_999);
    const expected = counts.flatMap((count) => Array.from({ length: count }, (_, n) => [count, n]));
    expect(rows.map(({ event }) => event)).toEqual(expected.map(([count, n]) => `${count}.${n}`));
    expect(rows.map(({ seq, causeSeq }) => causeSeq ?? seq - 1)).toEqual(rows.map((_, n) => n));
    expect(rows.map(({ commit }) => commit)).toEqual(expected.map(([count]) => count));
  });

  it('stores events that resemble each other in a tenth of their length', () => {
    const path = join(temporaryFolder(), 'node.db');
    const store = openedStore({ url: `file:${path}` });
    const event = (n: number) => JSON.stringify({ ...ORDER, paymentId: n });
    const rows = Array.from({ length: 700 }, (_, n) => ofA({ event: event(n) }));
    store.commit(batchOf({ journal: rows }));
    expect(store.journal.after(0, 999).map((row) => row.event)).toEqual(
      rows.map((row) => row.event),
    );
    expect(store.journal.between(A, 650, 652).map((row) => row.event)).toEqual([event(650)]);
    const client = new Libsql(path);
    const [found] = client.prepare('select sum(length(steps)) as stored from journal').raw().all();
    client.close();
    const text = rows.reduce((sum, row) => sum + row.event.length, 0);
    expect(Number(found)).toBeLessThan(text / 10);
  });

  it('keeps the events of steps whose commit is partly deleted', () => {
    const store = openedStore({ journalLimit: 10 });
    const rows = (from: number) =>
      Array.from({ length: 6 }, (_, n) => ofA({ event: `${from + n}` }));
    for (const from of [1, 7, 13]) store.commit(batchOf({ journal: rows(from) }));
    const kept = store.journal.after(0, 99).map(({ event }) => Number(event));
    expect(kept).toEqual([9, 10, 11, 12, 13, 14, 15, 16, 17, 18]);
    expect(store.journal.ofActor(A, END, 3).map(({ event }) => event)).toEqual(['16', '17', '18']);
  });

  it('is read onwards from a step', () => {
    const { journal } = lives();
    expect(numbers(journal.after(2, 3))).toEqual([3, 4, 5]);
    expect(journal.after(6, 3)).toEqual([]);
    expect(journal.bounds()).toEqual({ oldest: 1, newest: 6 });
  });

  it('is read by actor, backwards in pages and forwards between two steps', () => {
    const { journal } = lives();
    expect(numbers(journal.ofActor(A, END, 2))).toEqual([4, 6]);
    expect(numbers(journal.ofActor(A, 4, 2))).toEqual([1]);
    expect(numbers(journal.ofActor(B, END, 9))).toEqual([2, 3, 5]);
    expect(numbers(journal.ofActor(B, 5, 9))).toEqual([2, 3]);
    expect(numbers(journal.between(A, 1, 6))).toEqual([4]);
    expect(numbers(journal.between(B, 2, END))).toEqual([3, 5]);
    expect(journal.ofActor('nobody', END, 9)).toEqual([]);
  });

  it('is read over the lives of an actor that ended and lives again', () => {
    const store = openedStore();
    const life = [ofB({ kind: 'spawn' }), ofA(), ofB(), ofB({ kind: 'stop' }), ofA()];
    store.commit(batchOf({ journal: [...life, ...life] }));
    expect(numbers(store.journal.between(B, 0, END))).toEqual([1, 3, 4, 6, 8, 9]);
    expect(numbers(store.journal.between(B, 1, 8))).toEqual([3, 4, 6]);
    expect(numbers(store.journal.ofActor(B, END, 99))).toEqual([1, 3, 4, 6, 8, 9]);
  });

  it('finds the newest spawn or keyframe before a step', () => {
    const { journal } = lives();
    expect(journal.baseOf(A, END)?.seq).toBe(4);
    expect(journal.baseOf(A, 4)).toBeNull();
    expect(journal.baseOf(B, END)).toMatchObject({ seq: 2, event: '{"id":1}' });
  });

  it('lists the ends of actors within a range, newest first', () => {
    const store = lives();
    store.commit(batchOf({ journal: [ofA({ kind: 'stop', event: '' })] }));
    expect(numbers(store.journal.stops(1, 7))).toEqual([7, 5]);
    expect(numbers(store.journal.stops(1, 6))).toEqual([5]);
    expect(numbers(store.journal.stops(6, 6))).toEqual([]);
    // To look for the text of an end would read a block of events for each.
    expect(store.journal.stops(5, 5)[0]).not.toHaveProperty('event');
  });

  it('keeps only the newest rows', () => {
    const { journal, commit } = openedStore({ journalLimit: 10 });
    for (let turn = 0; turn < 10; turn++) commit(batchOf({ journal: Array(6).fill(ofA()) }));
    expect(numbers(journal.ofActor(A, END, 100))).toEqual([51, 52, 53, 54, 55, 56, 57, 58, 59, 60]);
    expect(journal.bounds()).toEqual({ oldest: 51, newest: 60 });
  });

  it('finds the steps of an actor among those of many others, and in many commits', () => {
    const store = openedStore();
    const names = Array.from({ length: 40 }, (_, n) => `target:${n}`);
    for (const name of names)
      store.commit(
        batchOf({
          journal: [ofA(), stepOf({ actor: name, kind: 'spawn' }), stepOf({ actor: name })],
        }),
      );
    expect(numbers(store.journal.ofActor('target:3', END, 9))).toEqual([11, 12]);
    expect(store.journal.baseOf('target:3', END)?.seq).toBe(11);
    expect(numbers(store.journal.ofActor(A, 90, 20))).toHaveLength(20);
    expect(numbers(store.journal.between(A, 10, 90))[0]).toBe(13);
  });
});

describe('a second reader of the file', () => {
  it('sees what is committed, each time anew, and writes nothing', () => {
    const path = join(temporaryFolder(), 'node.db');
    const store = lives(`file:${path}`);
    const reader = openJournal(path);
    expect(reader.bounds()).toEqual(store.journal.bounds());
    store.commit(batchOf({ journal: [ofB()] }));
    expect(reader.bounds()).toEqual({ oldest: 1, newest: 7 });
    expect(reader.after(0, 99)).toEqual(store.journal.after(0, 99));
    reader.close();
    store.commit(batchOf({ journal: [ofB()] }));
    expect(store.journal.bounds().newest).toBe(8);
  });

  it('is refused a file that is not there, and makes none', () => {
    expect(() => openJournal(join(temporaryFolder(), 'node.db'))).toThrow(/there is no database/);
  });
});
