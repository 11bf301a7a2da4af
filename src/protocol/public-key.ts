/** Public keys as bytes. An address is the hash of a public key, so a key itself proves whose it is. */

import { type Address, parseAddress, toHex } from '../basics/hex.ts';
import { keccak256 } from './hash.ts';

/** 4 | x | y. */
export const PUBLIC_KEY_BYTES = 65;
/** 2 or 3, by whether y is odd, | x. */
export const COMPRESSED_KEY_BYTES = 33;

/** The address that 65 bytes belong to, whether or not they are a point of the curve. */
export function addressOfPublicKey(publicKey: Uint8Array): Address {
  const hash = keccak256(publicKey.subarray(1));
  const address = parseAddress(toHex(hash.subarray(12)));
  if (address === null) throw new Error('a hash has 32 bytes');
  return address;
}

/**
 * Whether these bytes are the public key of the address. Costs only one hash, so that any stranger's bytes may be
 * checked.
 */
export function isPublicKeyOf(publicKey: Uint8Array, address: Address): boolean {
  const hasForm = publicKey.length === PUBLIC_KEY_BYTES && publicKey[0] === 4;
  return hasForm && addressOfPublicKey(publicKey) === address;
}

/** The 33 bytes that stand for the same point as these 65. */
export function compressedKey(publicKey: Uint8Array): Uint8Array {
  const compressed = new Uint8Array(COMPRESSED_KEY_BYTES);
  compressed[0] = 2 + ((publicKey[PUBLIC_KEY_BYTES - 1] ?? 0) & 1);
  compressed.set(publicKey.subarray(1, COMPRESSED_KEY_BYTES), 1);
  return compressed;
}
