import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { hex, list, optionalUint, uint } from '../../../src/protocol/shapes.ts';
import { address, decimal, hash } from '../../../src/protocol/text-shapes.ts';
import { hashOf, OWN } from '../../support/makers.ts';

const accepted = (shape: v.GenericSchema, values: readonly unknown[]) =>
  values.map((value) => v.safeParse(shape, value).success);

describe('a value that the API writes as text', () => {
  it('is an address in its EIP-55 form, and says so of another', () => {
    expect(accepted(address, [OWN, OWN.toLowerCase(), '0x12', 5])).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(v.safeParse(address, OWN.toLowerCase()).issues?.[0].message).toContain('EIP-55');
    expect(v.safeParse(address, null).issues?.[0].message).toContain('EIP-55');
  });

  it('is a whole number in decimal digits without leading zeros', () => {
    expect(accepted(decimal, ['0', '10', '907'])).toEqual([true, true, true]);
    const others = ['', '00', '01', '-1', '1.5', '1e3', '0x1', ' 1', '1 ', '1\n', 'a1', 1];
    expect(accepted(decimal, others)).toEqual(others.map(() => false));
  });

  it('is a hash of 32 bytes', () => {
    const short = `0x${'11'.repeat(31)}`;
    expect(accepted(hash, [hashOf(1), short, `${hashOf(1)}00`, 'x', 1])).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('a value that is stored', () => {
  it('is hex text, or an amount of 0 or more', () => {
    expect(accepted(hex, ['0x', '0x12', '12', 'x0x', 12])).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(accepted(uint, [0n, 1n, -1n, 1, '1', null])).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(accepted(optionalUint, [null, 0n, -1n])).toEqual([true, true, false]);
  });

  it('is a list when each of its parts is one of it', () => {
    expect(accepted(list(uint), [[], [1n, 2n], [1n, 2], 1n])).toEqual([true, true, false, false]);
  });
});
