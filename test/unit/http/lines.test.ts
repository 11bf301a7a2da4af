import { describe, expect, it } from 'vitest';
import { createLines } from '../../../src/http/queue/lines.ts';
import { createPlaces } from '../../../src/http/queue/places.ts';

const [ALICE, BOB, CAROL] = [{ name: 'alice' }, { name: 'bob' }, { name: 'carol' }];

describe('the lines of callers', () => {
  type One = { caller: object; kind: string; name: string };
  function filled(counts: [caller: object, many: number][]) {
    const lines = createLines<One>();
    const all: One[] = [];
    for (const [at, [caller, many]] of counts.entries())
      for (let n = 1; n <= many; n++) all.push({ caller, kind: 'pay', name: `${'abc'[at]}${n}` });
    for (const one of all) lines.add(one);
    return { ...lines, everybody: all };
  }
  const paymentsBefore = (lines: ReturnType<typeof filled>, caller: object) =>
    lines.before(caller).get('pay') ?? 0;

  it('take turns, each in order of arrival', () => {
    const lines = filled([
      [ALICE, 4],
      [BOB, 1],
      [CAROL, 2],
    ]);
    const order = Array.from({ length: 8 }, () => lines.take()?.name);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4', undefined]);
    expect(lines.size()).toBe(0);
  });

  it('tell a caller how many come before, by its own calls, however many others have', () => {
    const lines = filled([
      [ALICE, 10_000],
      [BOB, 3],
    ]);
    expect(paymentsBefore(lines, CAROL)).toBe(2);
    expect(paymentsBefore(lines, BOB)).toBe(7);
    expect(paymentsBefore(lines, ALICE)).toBe(10_003);
    lines.add({ caller: BOB, kind: 'read', name: 'b4' });
    expect(lines.before(BOB)).toEqual(
      new Map([
        ['pay', 8],
        ['read', 1],
      ]),
    );
  });

  it('forget who has left', () => {
    const lines = filled([
      [ALICE, 2],
      [BOB, 1],
    ]);
    for (const one of [lines.everybody[0], lines.everybody[0], lines.everybody[2]])
      if (one !== undefined) lines.remove(one);
    expect([lines.size(), paymentsBefore(lines, CAROL)]).toEqual([1, 1]);
    expect(lines.take()?.name).toBe('a2');
  });
});

describe('the places of callers', () => {
  const take = (places: ReturnType<typeof createPlaces>, caller: object, many: number) =>
    Array.from({ length: many }, () => places.take(caller)).filter((isTaken) => isTaken).length;

  it('are all for one that is alone, and a part for each of several', () => {
    const places = createPlaces(12);
    expect(take(places, ALICE, 20)).toBe(12);
    expect(take(places, BOB, 20)).toBe(6);
    expect(take(places, CAROL, 20)).toBe(4);
    places.giveBack(ALICE);
    expect(take(places, ALICE, 1)).toBe(0);
    expect(places.taken()).toBe(21);
  });

  it('are free again when they are given back', () => {
    const places = createPlaces(4);
    take(places, ALICE, 2);
    take(places, BOB, 2);
    for (const caller of [ALICE, ALICE, BOB, BOB]) places.giveBack(caller);
    expect(places.taken()).toBe(0);
    expect(take(places, CAROL, 9)).toBe(4);
  });

  it('are at least one for each caller', () => {
    const places = createPlaces(1);
    expect([ALICE, BOB, CAROL].map((caller) => take(places, caller, 2))).toEqual([1, 1, 1]);
  });
});
