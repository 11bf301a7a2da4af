import fc from 'fast-check';
import { hashMessage, keccak256 as viemKeccak256, sha256 as viemSha256 } from 'viem';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/basics/hex.ts';
import {
  keccak256,
  keccakHex,
  personalHash,
  secrethashOf,
  sha256,
} from '../../../src/protocol/hash.ts';
import vectors from '../../vectors.json' with { type: 'json' };
import { parseBytes32 } from './support.ts';

describe('hashing', () => {
  it('agrees with an independent implementation on any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        expect(keccakHex(bytes)).toBe(viemKeccak256(bytes));
        expect(toHex(sha256(bytes))).toBe(viemSha256(bytes));
        expect(toHex(personalHash(bytes))).toBe(hashMessage({ raw: bytes }));
      }),
    );
  });

  it('gives digests that later hashing does not change', () => {
    const first = keccak256(new Uint8Array([1]));
    const before = toHex(first);
    keccak256(new Uint8Array([2]));
    expect(toHex(first)).toBe(before);
  });

  it.each(vectors.locks.secrethash)('takes SHA-256 of the secret $secret', (row) => {
    expect(secrethashOf(parseBytes32(row.secret))).toBe(row.secrethash);
  });
});
