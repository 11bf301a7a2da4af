/**
 * The cipher of a sealed payload: AES-256-GCM under keys that only the two nodes can derive.
 *
 * The nonce is made from the counter and the text. Under one key no counter is used twice as long as a process lives;
 * but a machine that is put back to a snapshot, memory included, counts on from there, and its random numbers may
 * repeat, too. Two different texts under one nonce would reveal both and allow forgeries. Since the text goes into the
 * nonce, the same nonce appears with the same text only.
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

/** The keys by HKDF-SHA256 from the shared secret of two nodes; `info` as `sealInfo` makes it. */
export function sealKeys(shared: Uint8Array, salt: Uint8Array, info: Uint8Array): SealKeys {
  const derived = new Uint8Array(hkdfSync('sha256', shared, salt, info, 64));
  return { cipher: derived.subarray(0, 32), nonce: derived.subarray(32) };
}

/** The whole payload. Under the same keys, no two texts may be sealed with one counter. */
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

/** The text; null unless the payload is, bit for bit, what a node with these keys has sealed. */
export function unseal({ cipher: key }: SealKeys, sealed: SealedPayload): Uint8Array | null {
  const decipher = createDecipheriv(CIPHER, key, sealed.nonce, OPTIONS);
  decipher.setAAD(sealed.header);
  decipher.setAuthTag(sealed.tag);
  const text = decipher.update(sealed.ciphertext);
  try {
    // Only this check proves who sealed the text.
    decipher.final();
    return text;
  } catch {
    return null;
  }
}

/** The secret of a payment (`sealedFor`) as 48 bytes: encrypted, and the tag. `key`: of secrets alone, see `secretInfo`. */
export function sealSecret(key: Uint8Array, payment: Uint8Array, secret: Uint8Array): Uint8Array {
  const cipher = createCipheriv(CIPHER, key, payment.subarray(0, NONCE_BYTES), OPTIONS);
  cipher.setAAD(payment);
  const ciphertext = cipher.update(secret);
  cipher.final();
  return Buffer.concat([ciphertext, cipher.getAuthTag()]);
}

/** The secret; null unless it was sealed with this key for this payment. */
export function unsealSecret(
  key: Uint8Array,
  payment: Uint8Array,
  sealed: Uint8Array,
): Uint8Array | null {
  const end = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(CIPHER, key, payment.subarray(0, NONCE_BYTES), OPTIONS);
  decipher.setAAD(payment);
  decipher.setAuthTag(sealed.subarray(end));
  const secret = decipher.update(sealed.subarray(0, end));
  try {
    decipher.final();
    return secret;
  } catch {
    return null;
  }
}

/** Overwrites the keys. */
export function wipeKeys(keys: SealKeys): void {
  keys.cipher.fill(0);
  keys.nonce.fill(0);
}
