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
} from '../protocol/wire/envelope.ts';

/** `cipher` encrypts; `nonce` makes nonces and nothing else. 32 bytes each. */
export type SealKeys = { cipher: Uint8Array; nonce: Uint8Array };

/** In place of a salt, for the keys of secrets that are sent with locks. */
export const NO_SALT = new Uint8Array(0);

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
  const place = { key: keys.cipher, nonce, authenticated: Buffer.concat([start, nonce]) };
  return Buffer.concat([start, nonce, ...encrypted(place, text)]);
}

/** The text; null unless the payload is, bit for bit, what a node with these keys has sealed. */
export function unseal({ cipher: key }: SealKeys, sealed: SealedPayload): Uint8Array | null {
  const place = { key, nonce: sealed.nonce, authenticated: sealed.header };
  return decrypted(place, sealed.ciphertext, sealed.tag);
}

/**
 * What an initiator promises its target (`promiseText`), sealed for a payment (`sealedFor`): the nonce, the encrypted
 * text and the tag. The nonce is made of both, so it comes twice only with the same text. `keys`: of secrets alone, see
 * `secretInfo`.
 */
export function sealSecret(keys: SealKeys, payment: Uint8Array, text: Uint8Array): Uint8Array {
  const mac = createHmac('sha256', keys.nonce).update(payment).update(text).digest();
  const nonce = mac.subarray(0, NONCE_BYTES);
  const place = { key: keys.cipher, nonce, authenticated: payment };
  return Buffer.concat([nonce, ...encrypted(place, text)]);
}

/** The text; null unless it was sealed with these keys for this payment. */
export function unsealSecret(
  { cipher: key }: SealKeys,
  payment: Uint8Array,
  sealed: Uint8Array,
): Uint8Array | null {
  const end = sealed.length - TAG_BYTES;
  const place = { key, nonce: sealed.subarray(0, NONCE_BYTES), authenticated: payment };
  return decrypted(place, sealed.subarray(NONCE_BYTES, end), sealed.subarray(end));
}

/** `authenticated`: bytes that are not encrypted, but have to be the same when the text is opened. */
type Place = { key: Uint8Array; nonce: Uint8Array; authenticated: Uint8Array };

function encrypted(
  { key, nonce, authenticated }: Place,
  text: Uint8Array,
): [ciphertext: Uint8Array, tag: Uint8Array] {
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS);
  cipher.setAAD(authenticated);
  const ciphertext = cipher.update(text);
  cipher.final();
  return [ciphertext, cipher.getAuthTag()];
}

function decrypted(
  { key, nonce, authenticated }: Place,
  ciphertext: Uint8Array,
  tag: Uint8Array,
): Uint8Array | null {
  const decipher = createDecipheriv(CIPHER, key, nonce, OPTIONS);
  decipher.setAAD(authenticated);
  decipher.setAuthTag(tag);
  const text = decipher.update(ciphertext);
  try {
    // Only this check proves who sealed the text.
    decipher.final();
    return text;
  } catch {
    return null;
  }
}

/** What payloads and secrets are sealed with. All of a network seal with the same, or nobody opens anything. */
export type Cipher = {
  sealKeys: typeof sealKeys;
  seal: typeof seal;
  unseal: typeof unseal;
  sealSecret: typeof sealSecret;
  unsealSecret: typeof unsealSecret;
};
export const AES_CIPHER: Cipher = { sealKeys, seal, unseal, sealSecret, unsealSecret };

/** Overwrites the keys. */
export function wipeKeys(keys: SealKeys): void {
  keys.cipher.fill(0);
  keys.nonce.fill(0);
}
