import fc from 'fast-check';
import { encodePacked } from 'viem';
import { describe, expect, it } from 'vitest';
import { MAX_UINT64, MAX_UINT256 } from '../../../src/basics/amount.ts';
import { type Hex, toHex } from '../../../src/basics/hex.ts';
import { type Field, pack } from '../../../src/protocol/wire/packing.ts';

const ADDRESS = '0xedE35562d3555e61120a151B3c8e8e91d83a378a';
const SOLIDITY = {
  u8: 'uint8',
  u64: 'uint64',
  u256: 'uint256',
  address: 'address',
  bytes32: 'bytes32',
  signature: 'bytes',
} as const;

function bytesOf(length: number): fc.Arbitrary<Hex> {
  return fc.uint8Array({ minLength: length, maxLength: length }).map(toHex);
}

const anyField: fc.Arbitrary<Field> = fc.oneof(
  fc.tuple(fc.constant('u8' as const), fc.integer({ min: 0, max: 255 })),
  fc.tuple(fc.constant('u64' as const), fc.bigInt({ min: 0n, max: MAX_UINT64 })),
  fc.tuple(fc.constant('u256' as const), fc.bigInt({ min: 0n, max: MAX_UINT256 })),
  fc.tuple(fc.constant('address' as const), fc.constant<Hex>(ADDRESS)),
  fc.tuple(fc.constant('bytes32' as const), bytesOf(32)),
  fc.tuple(fc.constant('signature' as const), bytesOf(65)),
);

describe('packing', () => {
  it('writes what Solidity packs', () => {
    fc.assert(
      fc.property(fc.array(anyField, { maxLength: 8 }), (fields) => {
        const types = fields.map(([kind]) => SOLIDITY[kind]);
        const values = fields.map(([, value]) => value);
        expect(toHex(pack(fields))).toBe(encodePacked(types, values));
      }),
    );
  });

  const misfits: [string, Field][] = [
    ['a negative u256', ['u256', -1n]],
    ['a negative u64', ['u64', -1n]],
    ['2^256', ['u256', MAX_UINT256 + 1n]],
    ['2^64 in 8 bytes', ['u64', MAX_UINT64 + 1n]],
    ['256 in one byte', ['u8', 256]],
    ['half a byte', ['u8', 0.5]],
    ['a short address', ['address', '0xabcd']],
    ['a long hash', ['bytes32', `0x${'00'.repeat(33)}`]],
    ['something that is not hex', ['bytes32', `0x${'0g'.repeat(32)}`]],
    ['a character beyond ASCII', ['bytes32', `0x${'0é'.repeat(32)}`]],
    ['one in the first half of a byte', ['bytes32', `0x${'é0'.repeat(32)}`]],
  ];
  // A program that does not compile could give these; what is not written would be whatever the memory held.
  const wrongKinds: [string, Field][] = JSON.parse(
    '[["a number",["u64",5]],["a number",["u256",5]],["a number",["bytes32",5]],["an integer",["address","5n"]]]',
    (_, value) => (value === '5n' ? 5n : value),
  );
  it.each(wrongKinds)('throws on %s that is no such field', (_, field) => {
    expect(() => pack([field])).toThrow(RangeError);
  });

  it.each(misfits)('throws on %s instead of cutting it off', (_, field) => {
    expect(() => pack([field])).toThrow(RangeError);
  });
});
