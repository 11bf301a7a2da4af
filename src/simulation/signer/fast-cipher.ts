/**
 * Seals for a simulated network: the text is only hidden by a key of 32 bytes, again and again, and the tag is a hash over the
 * keys and all that is sealed. Nobody in the world breaks the one, or finds the other without the keys: so whoever has
 * not the keys can neither read nor make nor change a payload, as with the real cipher, whose layout and lengths
 * these have and which took ten times as long.
 */

import { sha256 } from '../../protocol/hash.ts';
import { encodeHeader, NONCE_BYTES, TAG_BYTES } from '../../protocol/wire/envelope.ts';
import type { Cipher, SealKeys } from '../../signer/seal.ts';

const NONCE = Buffer.alloc(NONCE_BYTES);

function tagOf({ cipher }: SealKeys, ...sealed: readonly Uint8Array[]): Uint8Array {
  return sha256(Buffer.concat([cipher, ...sealed])).subarray(0, TAG_BYTES);
}

/** Hides the text, or shows it again. */
function masked({ cipher }: SealKeys, text: Uint8Array): Uint8Array {
  const other = Buffer.allocUnsafe(text.length);
  for (let at = 0; at < text.length; at++) other[at] = (text[at] ?? 0) ^ (cipher[at & 31] ?? 0);
  return other;
}

const isTag = (tag: Uint8Array, given: Uint8Array) => Buffer.compare(tag, given) === 0;

export const FAST_CIPHER: Cipher = {
  sealKeys(shared, salt, info) {
    const cipher = sha256(Buffer.concat([shared, salt, info]));
    return { cipher, nonce: NONCE };
  },
  seal(keys, header, text) {
    const start = encodeHeader(header);
    const hidden = masked(keys, text);
    return Buffer.concat([start, NONCE, hidden, tagOf(keys, start, NONCE, hidden)]);
  },
  unseal: (keys, { header, ciphertext, tag }) =>
    isTag(tagOf(keys, header, ciphertext), tag) ? masked(keys, ciphertext) : null,
  sealSecret(keys, payment, text) {
    const hidden = masked(keys, text);
    return Buffer.concat([NONCE, hidden, tagOf(keys, payment, hidden)]);
  },
  unsealSecret(keys, payment, sealed) {
    const end = sealed.length - TAG_BYTES;
    const hidden = sealed.subarray(NONCE_BYTES, end);
    return isTag(tagOf(keys, payment, hidden), sealed.subarray(end)) ? masked(keys, hidden) : null;
  },
};
