import { describe, expect, it } from 'vitest';
import { createUnjudged } from '../../../../src/services/monitoring/unjudged.ts';

const times = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('requests that were not judged yet', () => {
  it('come out one of each slot in turn, the oldest of a slot first', () => {
    const unjudged = createUnjudged<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) unjudged.add(item.slice(0, 1), item);
    expect(unjudged.take(4)).toEqual(['a1', 'b1', 'c1', 'a2']);
    expect(unjudged.take(10)).toEqual(['b2', 'a3']);
    expect([unjudged.size(), unjudged.take(1)]).toEqual([0, []]);
  });

  it('of one channel push nobody else out, however many are forged', () => {
    const unjudged = createUnjudged<string>({ together: 100 });
    for (const n of times(10_000)) unjudged.add('flooded', `forged ${n}`);
    expect(unjudged.size()).toBe(16);
    expect(unjudged.add('other', 'honest')).toBe(true);
    expect(unjudged.take(2)).toEqual(['forged 0', 'honest']);
  });

  it('of unknown channels wait in a queue of their own', () => {
    const unjudged = createUnjudged<string>({ unknown: 5 });
    for (const n of times(1_000)) unjudged.add(null, `forged ${n}`);
    expect(unjudged.size()).toBe(5);
    expect(unjudged.add('known', 'honest')).toBe(true);
    expect(unjudged.take(2)).toContain('honest');
  });

  it('give way to a slot that has no request yet when there is no room', () => {
    const unjudged = createUnjudged<string>({ together: 10, perSlot: 5 });
    for (const n of times(5)) unjudged.add('a', `a${n}`);
    for (const n of times(5)) unjudged.add('b', `b${n}`);
    expect(unjudged.add('a', 'a more')).toBe(false);
    for (const slot of ['c', 'd', 'e']) expect(unjudged.add(slot, slot)).toBe(true);
    expect(unjudged.size()).toBe(10);
    expect(unjudged.take(5)).toEqual(['a0', 'b0', 'c', 'd', 'e']);
  });

  it('are refused when every slot has only one', () => {
    const unjudged = createUnjudged<number>({ together: 3 });
    for (const n of times(3)) unjudged.add(`${n}`, n);
    expect(unjudged.add('4', 4)).toBe(false);
    expect(unjudged.take(9)).toEqual([0, 1, 2]);
  });
});
