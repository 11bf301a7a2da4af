/** The nodes that a line of a scenario means. */
import { describe, expect, it } from 'vitest';
import {
  parseSelection,
  select,
  selectionText,
} from '../../src/simulation/scenario/schema/selection.ts';
import { createRandomness } from '../../src/simulation/world/randomness.ts';

const nodes = [2, 5, 1, 5, 3].map((degree, index) => {
  return { index, degree, role: index > 2 ? 'shop' : 'node' };
});

function chosen(text: string, seed = 1): number[] {
  const selection = parseSelection(text);
  if (selection === null) throw new Error(`no selection: ${text}`);
  return select(selection, nodes, createRandomness(seed).of('test')).map(({ index }) => index);
}

describe('a selection', () => {
  it.each<[string, number[]]>([
    ['all', [0, 1, 2, 3, 4]],
    ['3', [3]],
    ['1..2', [1, 2]],
    ['shop', [3, 4]],
    ['hubs:1', [1]],
    ['hubs:3', [1, 3, 4]],
    ['shop, 0..1,3', [0, 1, 3, 4]],
    ['nobody', []],
  ])('names nodes, each once: %s', (text, indexes) => {
    expect(chosen(text)).toEqual(indexes);
  });

  it('by chance differs with the seed, and never takes a node twice', () => {
    const drawn = Array.from({ length: 40 }, (_, seed) => chosen('random:2', seed));
    expect(drawn.every(({ length }) => length === 2)).toBe(true);
    expect(new Set(drawn.map(String)).size).toBe(10);
    expect(chosen('random:2', 7)).toEqual(chosen('random:2', 7));
  });

  it.each(['', '-1', '2..1', '1...2', 'Shop', 'hubs:0', 'a b', '1,', '1.5', '1234567'])(
    'is refused when it is none: %j',
    (text) => expect(parseSelection(text)).toBeNull(),
  );

  it.each(['all', '3', '0..9', 'shop', 'hubs:2, random:5, 4'])(
    'can be written as text again: %s',
    (text) => {
      expect(selectionText(parseSelection(text) ?? [])).toBe(text);
    },
  );
});
