import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/store/codec.ts';

const key = fc.string().filter((text) => text !== '__proto__' && text !== '$bigint');
const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('\ud800"\\\n'));
const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.bigInt(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
    fc.boolean(),
    fc.constant(null),
    text,
    fc.array(tie('value')),
    fc.dictionary(key, tie('value'), { noNullPrototype: true }),
  ),
})).value;

describe('the codec', () => {
  it('gives back any plain data with bigint', () => {
    fc.assert(
      fc.property(plain, (value) => {
        expect(decode(encode(value))).toEqual(value);
      }),
    );
  });

  it('writes what JSON.stringify writes with the bigint marked', () => {
    const mark = (_: string, value: unknown) =>
      typeof value === 'bigint' ? { $bigint: value.toString() } : value;
    fc.assert(
      fc.property(plain, (value) => {
        expect(encode(value)).toBe(JSON.stringify(value, mark));
      }),
    );
  });

  it('keeps a bigint beyond 2^256 exactly', () => {
    const amount = 2n ** 256n + 1n;
    expect(encode({ amount })).toBe(`{"amount":{"$bigint":"${amount}"}}`);
    expect(decode(encode([amount, -amount, 0n]))).toEqual([amount, -amount, 0n]);
  });

  it('leaves undefined properties out', () => {
    expect(encode({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}');
  });

  it.each<[string, unknown]>([
    ['a Map', new Map([[1, 2]])],
    ['a Date', new Date(0)],
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['undefined in an array', [undefined]],
    ['not a number', Number.NaN],
    ['infinity', Number.POSITIVE_INFINITY],
    ['the mark itself', { $bigint: '5' }],
    ['an own __proto__', JSON.parse('{"__proto__":{}}')],
  ])('refuses to write %s', (_, value) => {
    expect(() => encode({ value })).toThrow(/codec/);
  });

  it.each([
    '{"$bigint":5}',
    '{"$bigint":"5","more":1}',
    '{"$bigint":"0x5"}',
    '{"$bigint":""}',
    '{"$bigint":"05"}',
    '{"$bigint":"-0"}',
    '{"$bigint":"5n"}',
    '{"$bigint":" 5"}',
    '[{"a":{"$bigint":null}}]',
    '{"__proto__":{"isAdmin":true}}',
    '{"a":{"__proto__":1}}',
  ])('refuses to read %s', (stored) => {
    expect(() => decode(stored)).toThrow(/codec/);
  });

  it('refuses text that is not JSON', () => {
    expect(() => decode('{"a":')).toThrow(SyntaxError);
  });
});
