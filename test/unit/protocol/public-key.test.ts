import { describe, expect, it } from 'vitest';
import { fromHex } from '../../../src/basics/hex.ts';
import {
  addressOfPublicKey,
  compressedKey,
  isPublicKeyOf,
} from '../../../src/protocol/public-key.ts';
import { createSigner } from '../../../src/signer/signer.ts';
import { hashOf, STRANGER } from '../../support/makers.ts';

const { address, publicKey } = createSigner(fromHex(hashOf(1)));

/** The key with another byte at one place, counted from its end when it is negative. */
function changed(at: number, byte: number): Uint8Array {
  const bytes = Uint8Array.from(publicKey);
  bytes[at < 0 ? bytes.length + at : at] = byte;
  return bytes;
}

describe('a public key', () => {
  it('proves the address that is made of it, and no other', () => {
    expect(addressOfPublicKey(publicKey)).toBe(address);
    expect(isPublicKeyOf(publicKey, address)).toBe(true);
    expect(isPublicKeyOf(publicKey, STRANGER)).toBe(false);
    expect(isPublicKeyOf(changed(20, (publicKey[20] ?? 0) ^ 1), address)).toBe(false);
  });

  it('is of 65 bytes that begin with 4', () => {
    const longer = Uint8Array.from([...publicKey, 0]);
    expect(isPublicKeyOf(changed(0, 6), address)).toBe(false);
    expect(isPublicKeyOf(longer, addressOfPublicKey(longer))).toBe(false);
    expect(isPublicKeyOf(publicKey.subarray(0, 64), address)).toBe(false);
  });

  it('is told by its x and by whether its y is odd', () => {
    const x = publicKey.subarray(1, 33);
    expect(compressedKey(changed(-1, 8))).toEqual(Uint8Array.from([2, ...x]));
    expect(compressedKey(changed(-1, 9))).toEqual(Uint8Array.from([3, ...x]));
  });
});
