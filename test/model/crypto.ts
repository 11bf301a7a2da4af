/** Signatures that cost nothing: the signer and the digest in plain sight. Nobody in the model forges. */
import {
  type Address,
  fromHex,
  parseAddress,
  type Signature,
  toHex,
} from '../../src/protocol/hex.ts';

export function signerOf(address: Address) {
  const prefix = address.slice(2).toLowerCase();
  return (digest: Uint8Array): Signature =>
    `0x${prefix}${toHex(digest).slice(2)}${'00'.repeat(12)}1b`;
}

export function recover(digest: Uint8Array, signature: Uint8Array): Address | null {
  const signed = Buffer.from(signature).subarray(20, 52);
  return signed.equals(digest) ? parseAddress(toHex(signature.subarray(0, 20))) : null;
}

/** Who signed, as the contract finds out. */
export const recoverHex = (digest: Uint8Array, signature: Signature) =>
  recover(digest, fromHex(signature));
