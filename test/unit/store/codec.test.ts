import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/store/base/codec.ts';

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

/** Everything that a caller may hand over by mistake, with inherited and hidden properties among it. */
const anything = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    plain,
    fc.constantFrom<unknown>(
      undefined,
      -0,
      Number.NaN,
      Symbol('x'),
      new Date(0),
      new Map(),
      Array(1),
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(key, fc.constantFrom('a', '$bigint', '__proto__')), tie('value')),
    tie('value').map((value) => Object.create({ inherited: value })),
    tie('value').map((value) => Object.defineProperty({ b: 1 }, 'hidden', { value })),
  ),
})).value;

/** The same rules once more, as short as they can be said. Throws where the codec throws. */
function spelledOut(value: unknown): string {
  if (typeof value === 'bigint') return `{"$bigint":"${value}"}`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean')
    return JSON.stringify(value);
  if (Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${Array.from(value, spelledOut).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError('no text');
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) throw new TypeError('not plain');
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  if (fields.some(([name]) => name === '$bigint' || name === '__proto__'))
    throw new TypeError('reserved');
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${spelledOut(field)}`).join(',')}}`;
}

function textOrNull(write: (value: unknown) => string, value: unknown): string | null {
  try {
    return write(value);
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return null;
  }
}

describe('the codec', () => {
  it('writes the text that its rules say, and refuses what they refuse', () => {
    fc.assert(
      fc.property(anything, (value) => {
        expect(textOrNull(encode, value)).toBe(textOrNull(spelledOut, value));
      }),
      { numRuns: 2_000 },
    );
  });

  it('writes keys of any length and number, again and again', () => {
    const names = Array.from({ length: 3_000 }, (_, n) => `${'"\u00e9'.repeat(n % 20)}${n}`);
    const value = Object.fromEntries(names.map((name, n) => [name, n]));
    for (let again = 0; again < 2; again++) expect(encode(value)).toBe(JSON.stringify(value));
  });

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
