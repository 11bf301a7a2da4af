import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addSaturating,
  larger,
  MAX_UINT64,
  MAX_UINT256,
  parseDecimal,
  parseSignedDecimal,
  parseUint64,
  parseUint256,
  smaller,
  wholeUnits,
} from '../../../src/basics/amount.ts';
import vectors from '../../vectors.json' with { type: 'json' };

const REFUSED = [
  '',
  ' 1',
  '1 ',
  '1\n',
  '+1',
  '-1',
  '-0',
  '0x1',
  '1e3',
  '1.0',
  '1_000',
  '007',
  '00',
  '١',
  '１',
  'NaN',
  '9'.repeat(79),
];

describe('decimal text', () => {
  it('knows the largest numbers', () => {
    expect(String(MAX_UINT64)).toBe(vectors.constants.UINT64_MAX);
    expect(String(MAX_UINT256)).toBe(vectors.constants.UINT256_MAX);
  });

  it('reads what a bigint writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: MAX_UINT256 }), (value) => {
        expect(parseDecimal(String(value))).toBe(value);
        expect(parseUint256(String(value))).toBe(value);
        expect(parseSignedDecimal(String(-value))).toBe(-value);
      }),
    );
  });

  it.each(REFUSED)('refuses %j', (text) => {
    expect(parseDecimal(text)).toBeNull();
  });

  it.each([5, 5n, null, undefined, ['5'], { length: 1 }])(
    'refuses %o, which is no text',
    (value) => {
      expect(parseDecimal(value)).toBeNull();
      expect(parseSignedDecimal(value)).toBeNull();
    },
  );

  it('refuses a million digits without reading them', () => {
    expect(parseDecimal('9'.repeat(1_000_000))).toBeNull();
    expect(parseSignedDecimal(`-${'9'.repeat(1_000_000)}`)).toBeNull();
  });

  it('takes a minus sign only where it is asked for one, and never before 0', () => {
    expect(parseSignedDecimal('-5')).toBe(-5n);
    expect(parseSignedDecimal('5')).toBe(5n);
    for (const text of ['-0', '--5', '-', '-05', '- 5'])
      expect(parseSignedDecimal(text)).toBeNull();
  });

  it('ends each range at its last number', () => {
    expect(parseUint64(String(MAX_UINT64))).toBe(MAX_UINT64);
    expect(parseUint64(String(MAX_UINT64 + 1n))).toBeNull();
    expect(parseUint256(String(MAX_UINT256))).toBe(MAX_UINT256);
    expect(parseUint256(String(MAX_UINT256 + 1n))).toBeNull();
  });

  it('adds up to the largest number and no further', () => {
    expect(addSaturating(MAX_UINT256 - 1n, 1n)).toBe(MAX_UINT256);
    expect(addSaturating(MAX_UINT256, MAX_UINT256)).toBe(MAX_UINT256);
    expect(addSaturating(2n, 3n)).toBe(5n);
  });
});

describe('two amounts', () => {
  it('have a smaller and a larger one, in either order', () => {
    for (const [a, b] of [
      [2n, 3n],
      [3n, 2n],
    ] as const)
      expect([smaller(a, b), larger(a, b)]).toEqual([2n, 3n]);
  });
});

describe('whole units', () => {
  it.each([
    [0n, '0', '0'],
    [1n, '0', '0.000001'],
    [10n ** 12n, '0.000001', '0.000001'],
    [55n * 10n ** 17n, '5.5', '5.5'],
    [55n * 10n ** 17n - 1n, '5.499999', '5.5'],
    [10n ** 18n + 1n, '1', '1.000001'],
    [20n * 10n ** 18n, '20', '20'],
  ])('of %s are shown without promising too much', (amount, down, up) => {
    expect([wholeUnits(amount, 'down'), wholeUnits(amount, 'up')]).toEqual([down, up]);
  });
});
