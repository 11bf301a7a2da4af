import { describe, expect, it } from 'vitest';
import { createMarks } from '../../src/simulation/disk/marks.ts';
import { createUndo } from '../../src/simulation/disk/undo.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';

const nameOf = (index: number) => `initiator:0x${index.toString(16).padStart(64, '0')}`;

describe('the names that a simulated disk remembers', () => {
  it('are exactly those that were added, of many thousands', () => {
    const undo = createUndo(0);
    const marks = createMarks(undo);
    for (let n = 0; n < 20_000; n++) undo.transaction(() => marks.add(nameOf(2 * n)));
    const known = Array.from({ length: 40_000 }, (_, n) => marks.has(nameOf(n)));
    expect(known.every((isKnown, n) => isKnown === (n % 2 === 0))).toBe(true);
  });

  it('are as before when a transaction is taken back', () => {
    const undo = createUndo(8);
    const marks = createMarks(undo);
    const model: Set<string>[] = [new Set()];
    const draw = createRandomness(5).of('marks');
    for (let n = 0; n < 2_000; n++) {
      if (draw.happens(0.3)) for (let lost = undo.lose(2); lost > 0; lost--) model.pop();
      const names = Array.from({ length: 3 }, () => nameOf(draw.integer(0, 400)));
      const isChange = undo.transaction(() => names.forEach(marks.add));
      if (isChange) model.push(new Set([...(model.at(-1) ?? []), ...names]));
    }
    const left = model.at(-1) ?? new Set();
    for (let n = 0; n <= 400; n++) expect(marks.has(nameOf(n))).toBe(left.has(nameOf(n)));
  });

  it('come back from a copy', () => {
    const undo = createUndo(0);
    const marks = createMarks(undo);
    undo.transaction(() => marks.add('one'));
    const copy = marks.copy();
    undo.transaction(() => marks.add('two'));
    marks.restore(copy);
    expect([marks.has('one'), marks.has('two')]).toEqual([true, false]);
  });
});
