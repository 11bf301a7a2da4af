import { describe, expect, it } from 'vitest';
import {
  add,
  divide,
  multiply,
  ratio,
  roundHalfEven,
  sign,
  subtract,
  whole,
} from '../../../src/protocol/fees/rational.ts';

describe('a fraction', () => {
  it('keeps its denominator above 0, whatever it is made of', () => {
    expect(ratio(1n, -2n)).toEqual({ numerator: -1n, denominator: 2n });
    expect(ratio(-1n, -2n)).toEqual({ numerator: 1n, denominator: 2n });
    expect(divide(whole(1n), ratio(-1n, 3n))).toEqual({ numerator: -3n, denominator: 1n });
  });

  it('is never one of 0', () => {
    expect(() => ratio(1n, 0n)).toThrow(RangeError);
    expect(() => divide(whole(1n), whole(0n))).toThrow(RangeError);
  });

  it('is added to and taken from others, of the same denominator or another', () => {
    expect(add(ratio(1n, 3n), ratio(1n, 3n))).toEqual({ numerator: 2n, denominator: 3n });
    expect(add(ratio(1n, 2n), ratio(1n, 3n))).toEqual({ numerator: 5n, denominator: 6n });
    expect(subtract(ratio(1n, 2n), ratio(1n, 3n))).toEqual({ numerator: 1n, denominator: 6n });
    expect(multiply(ratio(2n, 3n), ratio(5n, 7n))).toEqual({ numerator: 10n, denominator: 21n });
  });

  it('has a sign', () => {
    expect([ratio(-1n, 2n), whole(0n), ratio(1n, 2n)].map(sign)).toEqual([-1, 0, 1]);
  });

  it.each<[bigint, bigint, bigint]>([
    [1n, 3n, 0n],
    [2n, 3n, 1n],
    [1n, 2n, 0n],
    [3n, 2n, 2n],
    [5n, 2n, 2n],
    [7n, 2n, 4n],
    [-1n, 3n, 0n],
    [-2n, 3n, -1n],
    [-1n, 2n, 0n],
    [-3n, 2n, -2n],
    [-5n, 2n, -2n],
    [6n, 3n, 2n],
  ])('of %s and %s is rounded to %s, half to even', (numerator, denominator, rounded) => {
    expect(roundHalfEven(ratio(numerator, denominator))).toBe(rounded);
  });
});
