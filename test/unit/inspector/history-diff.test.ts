import { describe, expect, it } from 'vitest';
import { groupDigits } from '../../../src/basics/digits.ts';
import {
  changedPaths,
  diffRows,
  valuePath,
} from '../../../src/inspector-page/views/history/diff.ts';
import { showValue } from '../../../src/inspector-page/views/history/values.ts';

const lock = (secrethash: string, amount: bigint) => ({ secrethash, amount });
const shown = (before: unknown, after: unknown) =>
  diffRows(before, after).map(({ path, kind }) => `${kind} ${valuePath(path)}`);

describe('the difference between two contexts', () => {
  it('is empty between equal ones', () => {
    const context = () => ({ own: { locks: [lock('0x1', 5n)] }, note: null });
    expect(diffRows(context(), context())).toEqual([]);
  });

  it('tells each value that was added, removed or changed, with both values', () => {
    const before = { own: { deposit: 10n, fee: 1 }, plan: null };
    const after = { own: { deposit: 10n ** 30n, nonce: 2n }, plan: null };
    expect(diffRows(before, after)).toEqual([
      { path: ['own', 'deposit'], kind: 'changed', before: 10n, after: 10n ** 30n },
      { path: ['own', 'fee'], kind: 'removed', before: 1 },
      { path: ['own', 'nonce'], kind: 'added', after: 2n },
    ]);
  });

  it('tells amounts apart that a number could not', () => {
    expect(shown({ a: 2n ** 60n }, { a: 2n ** 60n + 1n })).toEqual(['changed a']);
  });

  it('shows one lock as taken out of a list, not all as changed', () => {
    const [one, two, three] = [lock('0x1', 1n), lock('0x2', 2n), lock('0x3', 3n)];
    expect(shown({ locks: [one, two, three] }, { locks: [two, three] })).toEqual([
      'removed locks[0].secrethash',
      'removed locks[0].amount',
    ]);
    expect(shown({ locks: [one, three] }, { locks: [one, two, three] })).toEqual([
      'added locks[1].secrethash',
      'added locks[1].amount',
    ]);
  });

  it('goes into an item that changed', () => {
    expect(shown([lock('0x1', 1n)], [lock('0x1', 2n)])).toEqual(['changed [0].amount']);
  });

  it('does not take a list for an object, nor null for an empty one', () => {
    expect(shown({ a: [] }, { a: {} })).toEqual(['changed a']);
    expect(shown({ a: null }, { a: {} })).toEqual(['changed a']);
  });

  it('tells every value of what came or went as a whole', () => {
    expect(shown({ plan: null }, { plan: { total: 5n, waiting: [] } })).toEqual([
      'changed plan',
      'added plan.total',
      'added plan.waiting',
    ]);
    expect(shown({ plan: { total: 5n } }, { plan: null })).toEqual([
      'changed plan',
      'removed plan.total',
    ]);
  });

  it('marks the way to each change', () => {
    const rows = diffRows({ own: { locks: [] } }, { own: { locks: [lock('0x1', 1n)] } });
    expect([...changedPaths(rows)]).toEqual([
      'own',
      'own.locks',
      'own.locks[0]',
      'own.locks[0].secrethash',
      'own.locks[0].amount',
    ]);
  });
});

describe('a value as text', () => {
  it('is exact, with its digits in groups', () => {
    expect(groupDigits(123456789012345678901234567890n)).toBe(
      '123,456,789,012,345,678,901,234,567,890',
    );
    expect(groupDigits(-1234n)).toBe('-1,234');
    expect(groupDigits(999n)).toBe('999');
  });

  it('names what is hidden and what is empty', () => {
    expect(showValue({ $redacted: 'secret' })).toBe('‹secret, hidden›');
    expect(showValue([])).toBe('[]');
    expect(showValue([1, 2])).toBe('[2]');
    expect(showValue(null)).toBe('null');
    expect(showValue(1_114n, 'expiration')).toBe('#1114');
    expect(showValue(1_114n, 'wakeBlock')).toBe('#1114');
  });
});
