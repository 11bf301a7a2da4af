/**
 * Signatures that cost nothing: the signer and the digest in plain sight; and seals: the sender before the
 * lines. Nobody in the model forges them. A seal opens as often as it comes, as after a restart.
 */
import type { Opened } from '../../src/node/sealing.ts';
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

const ADDRESS_BYTES = 20;

export function sealedBy(sender: Address, lines: Uint8Array): Uint8Array {
  return Buffer.concat([fromHex(sender), lines]);
}

export function open(payload: Uint8Array): Extract<Opened, { ok: true }> {
  const sender = parseAddress(toHex(payload.subarray(0, ADDRESS_BYTES)));
  if (sender === null) throw new Error('model: a payload without a sender');
  return { ok: true, sender, text: payload.subarray(ADDRESS_BYTES) };
}

export function recover(digest: Uint8Array, signature: Uint8Array): Address | null {
  const signed = Buffer.from(signature).subarray(20, 52);
  return signed.equals(digest) ? parseAddress(toHex(signature.subarray(0, 20))) : null;
}

/** Who signed, as the contract finds out. */
export const recoverHex = (digest: Uint8Array, signature: Signature) =>
  recover(digest, fromHex(signature));
