import { describe, expect, it } from 'vitest';
import { groupDigits, grouped, inTokens } from '../../../src/basics/digits.ts';

describe('a number for people', () => {
  it.each<[bigint, string]>([
    [0n, '0'],
    [999n, '999'],
    [1_000n, '1,000'],
    [12_345n, '12,345'],
    [1_000_000n, '1,000,000'],
    [-1_234_567n, '\u22121,234,567'],
  ])('has its digits in groups of three: %s', (value, shown) => {
    expect(grouped(value)).toBe(shown);
  });

  it('has a hyphen before it where a program reads it, and no group of its own', () => {
    expect(groupDigits(-123_456)).toBe('-123,456');
    expect(groupDigits(-1_000n)).toBe('-1,000');
  });
});

describe('an amount in whole tokens', () => {
  it.each<[bigint, number, string]>([
    [0n, 2, '0'],
    [1_234_500n, 2, '12,345'],
    [1_234_550n, 2, '12,345.5'],
    [1n, 4, '0.0001'],
    [12_345n, 4, '1.2345'],
    [123_456n, 5, '1.2345…'],
    [100_001n, 5, '1.0000…'],
    [-5n, 1, '\u22120.5'],
    [-10n, 1, '\u22121'],
    [1_200n, 0, '1,200'],
  ])('of %s with %s decimals is cut after four of them', (value, decimals, shown) => {
    expect(inTokens(value, decimals)).toBe(shown);
  });
});
