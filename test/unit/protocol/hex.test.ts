import { describe, expect, it } from 'vitest';
import { fromHex, isChecksummed, isHexOf, parseAddress, toHex } from '../../../src/basics/hex.ts';
import { OWN } from '../../support/makers.ts';

describe('bytes as text', () => {
  it('are those of the part that is asked for', () => {
    const bytes = Uint8Array.from([1, 2, 0xab, 4]);
    expect(toHex(bytes.subarray(1, 3))).toBe('0x02ab');
    expect([...fromHex('0x02AB')]).toEqual([2, 0xab]);
    expect(toHex(new Uint8Array(0))).toBe('0x');
  });

  it.each<[string, unknown, boolean]>([
    ['two bytes', '0xab01', true],
    ['two bytes in upper case', '0xABCD', true],
    ['a byte less', '0xab', false],
    ['half a byte more', '0xab010', false],
    ['no 0x', 'ab0102', false],
    ['0X', '0Xab01', false],
    ['something before it', 'x0xab1', false],
    ['a digit that is none', '0xab0g', false],
    ['a line break at its end', '0xab0\n', false],
    ['a list', ['0xab01'], false],
    ['a number', 0xab01, false],
  ])('are told from %s', (_, value, isHex) => {
    expect(isHexOf(value, 2)).toBe(isHex);
  });
});

describe('an address', () => {
  it('is read in any case, and becomes the one that has its checksum', () => {
    const shouted = `0x${OWN.slice(2).toUpperCase()}`;
    for (const text of [OWN, OWN.toLowerCase(), shouted, OWN.toLowerCase()])
      expect(parseAddress(text)).toBe(OWN);
    for (const value of ['0x12', null, 5, [OWN], `${OWN}00`])
      expect(parseAddress(value)).toBeNull();
  });

  it('has its checksum in one form alone', () => {
    expect(isChecksummed(OWN)).toBe(true);
    expect(isChecksummed(OWN.toLowerCase())).toBe(false);
    expect(isChecksummed(null)).toBe(false);
    expect(isChecksummed('0x12')).toBe(false);
  });
});
