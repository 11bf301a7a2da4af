import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/protocol/wire/json-text.ts';

const within = (depth: number, parts = 1_000) => ({ depth, parts });
const nested = (open: string, close: string) => (depth: number) =>
  [open.repeat(depth), '0', close.repeat(depth)].join('');
const lists = nested('[', ']');
const objects = nested('{"a":', '}');
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
    expect(parseJson(nested(4), within(4))).toEqual({ ok: true, value: JSON.parse(nested(4)) });
    expect(parseJson(nested(6), within(5))).toMatchObject({ ok: false });
    expect(parseJson(nested(6), within(4))).toMatchObject({ ok: false });
  });

  it.each([
    ['objects', '{"a":1}'],
    ['lists', '[1]'],
    ['values', '1'],
    ['strings full of brackets', '"[{,:[{,:"'],
  ])('may have as many %s side by side as is allowed', (_, one) => {
    const many = `[${Array(50).fill(one).join(',')}]`;
    expect(parseJson(many, within(2))).toEqual({ ok: true, value: JSON.parse(many) });
  });

  it.each([
    ['objects', '{}'],
    ['lists', '[]'],
    ['values', '1'],
  ])('is refused with more %s than are allowed', (_, one) => {
    const many = (count: number) => `[${Array(count).fill(one).join(',')}]`;
    expect(parseJson(many(10), within(2, 32))).toMatchObject({ ok: true });
    expect(parseJson(many(33), within(2, 32))).toMatchObject({
      reason: expect.stringContaining('too many parts'),
    });
  });

  it('is refused without being parsed when it is nested too deep', () => {
    expect(parseJson(`${lists(3)} and more`, within(2))).toMatchObject({
      reason: expect.stringContaining('deep'),
    });
  });
});
