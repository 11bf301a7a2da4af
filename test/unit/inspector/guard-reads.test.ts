import { describe, expect, it } from 'vitest';
import { MOST_READS, readsOf } from '../../../src/inspector/charts/guard-reads.ts';

const locks = [
  { amount: 1n, secrethash: 'a' },
  { amount: 2n, secrethash: 'b' },
];
const context = { ownEnd: { deposit: 5n, locks }, own: 'me', dispute: null, job: { key: 'k' } };
type Context = typeof context;
const event = { type: 'cmd.deposit', amount: 9n };

/** What is read when a guard asks this of the context and the event. */
function read(ask: (seen: { context: Context; event: typeof event }) => unknown) {
  const isGuard = (seen: unknown): seen is { context: Context; event: typeof event } =>
    typeof seen === 'object';
  return readsOf({ context, event }, (seen) => isGuard(seen) && ask(seen));
}

describe('what a guard reads', () => {
  it('is told by its path, once, in the order of reading', () => {
    expect(read((seen) => seen.event.amount > seen.context.ownEnd.deposit + seen.event.amount))
      // The type is what every guard makes sure of.
      .toEqual([
        { path: 'event.amount', value: 9n },
        { path: 'context.ownEnd.deposit', value: 5n },
      ]);
  });

  it('reaches into lists as far as the guard looks', () => {
    const found = read((seen) => seen.context.ownEnd.locks.find((lock) => lock.amount === 1n));
    expect(found).toContainEqual({ path: 'context.ownEnd.locks.0.amount', value: 1n });
    expect(found.map(({ path }) => path)).not.toContain('context.ownEnd.locks.1.amount');
  });

  it('is null where nothing is, and an object with its fields where it was only looked at', () => {
    expect(read((seen) => seen.context.dispute !== null)).toEqual([
      { path: 'context.dispute', value: null },
    ]);
    expect(read((seen) => seen.context.job !== null)).toEqual([
      { path: 'context.job', value: { key: 'k' } },
    ]);
  });

  it('puts what was only copied behind what was read by name', () => {
    const found = read((seen) => {
      const copy = { ...seen.context.ownEnd };
      return seen.event.amount > copy.deposit;
    });
    expect(found.map(({ path }) => path)).toEqual(['event.amount', 'context.ownEnd.deposit']);
  });

  it('keeps what is the same object the same', () => {
    let isFound: unknown = null;
    read((seen) => {
      const [first] = seen.context.ownEnd.locks;
      isFound = first !== undefined && seen.context.ownEnd.locks.indexOf(first) === 0;
    });
    expect(isFound).toBe(true);
  });

  it('is cut where it gets long, and known up to a throw', () => {
    const long = { list: Array.from({ length: 100 }, (_, n) => n) };
    const sum = (seen: object) => ('list' in seen && Array.isArray(seen.list) ? [...seen.list] : 0);
    const given = { context: long, event };
    expect(readsOf(given, (seen) => sum(seen.context))).toHaveLength(MOST_READS);
    const thrown = read((seen) => {
      if (seen.event.amount > 0n) throw new Error('a guard fails');
    });
    expect(thrown).toEqual([{ path: 'event.amount', value: 9n }]);
  });
});
