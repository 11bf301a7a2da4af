/**
 * The cipher of a sealed payload: AES-256-GCM under keys that the two nodes alone can derive.
 *
 * The nonce is made from the counter and the text. Under one key a counter never comes twice as long as
 * a process lives; but a machine that is put back to an earlier moment, memory and all, counts on from
 * there, and its random numbers may come again, too. With two texts under one nonce the cipher would
 * show both and could be forged. As it is, the same nonce comes with the same text alone.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import {
  encodeHeader,
  NONCE_BYTES,
  type SealedPayload,
  type SealHeader,
  TAG_BYTES,
} from '../../protocol/envelope.ts';

/** `cipher` encrypts; `nonce` makes nonces and nothing else. 32 bytes each. */
export type SealKeys = { cipher: Uint8Array; nonce: Uint8Array };

const CIPHER = 'aes-256-gcm';
const OPTIONS = { authTagLength: TAG_BYTES };

/** HKDF-SHA256 of what two nodes have in common; `info` as `sealInfo` makes it. */
export function sealKeys(shared: Uint8Array, salt: Uint8Array, info: Uint8Array): SealKeys {
  const derived = new Uint8Array(hkdfSync('sha256', shared, salt, info, 64));
  return { cipher: derived.subarray(0, 32), nonce: derived.subarray(32) };
}

/** The whole payload. Under the same keys, no two texts may come with one counter. */
export function seal(keys: SealKeys, header: SealHeader, text: Uint8Array): Uint8Array {
  const start = encodeHeader(header);
  const mac = createHmac('sha256', keys.nonce).update(start).update(text).digest();
  const nonce = mac.subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keys.cipher, nonce, OPTIONS);
  cipher.setAAD(Buffer.concat([start, nonce]));
  const ciphertext = cipher.update(text);
  cipher.final();
  return Buffer.concat([start, nonce, ciphertext, cipher.getAuthTag()]);
}

/** The text, or null when the payload is not, to the bit, what somebody with this key has sealed. */
export function unseal({ cipher: key }: SealKeys, sealed: SealedPayload): Uint8Array | null {
  const decipher = createDecipheriv(CIPHER, key, sealed.nonce, OPTIONS);
  decipher.setAAD(sealed.header);
  decipher.setAuthTag(sealed.tag);
  const text = decipher.update(sealed.ciphertext);
  try {
    // Not before here is it known whose the text is.
    decipher.final();
    return text;
  } catch {
    return null;
  }
}

/** Overwrites the keys. */
export function wipeKeys(keys: SealKeys): void {
  keys.cipher.fill(0);
  keys.nonce.fill(0);
}
