import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/protocol/json-text.ts';

const nested = (open: string, close: string) => (depth: number) =>
  [open.repeat(depth), '0', close.repeat(depth)].join('');
const lists = nested('[', ']');
const objects = nested('{"a":', '}');
/** Two levels for one. */
/** Lists with a value before the next list, so that more than brackets is met on the way. */
const filled = (depth: number) => `${'[0, "a", '.repeat(depth - 1)}[0${']'.repeat(depth)}`;
const mixed = (depth: number) => nested('[{"a":', '}]')(depth / 2);

describe('JSON text of a stranger', () => {
  it.each([
    ['lists', lists],
    ['objects', objects],
    ['lists and objects', mixed],
    ['lists of several values', filled],
  ])('may be nested as deep as is allowed and no deeper, in %s', (_, nested) => {
    expect(parseJson(nested(4), 4)).toEqual({ ok: true, value: JSON.parse(nested(4)) });
    expect(parseJson(nested(6), 5)).toMatchObject({ ok: false });
    expect(parseJson(nested(6), 4)).toMatchObject({ ok: false });
  });

  it.each([
    ['objects', '{"a":1}'],
    ['lists', '[1]'],
  ])('may have any number of %s side by side', (_, one) => {
    const many = `[${Array(50).fill(one).join(',')}]`;
    expect(parseJson(many, 2)).toEqual({ ok: true, value: JSON.parse(many) });
  });

  it('is refused without being parsed when it is nested too deep', () => {
    expect(parseJson(`${lists(3)} and more`, 2)).toMatchObject({
      reason: expect.stringContaining('deep'),
    });
  });
});
