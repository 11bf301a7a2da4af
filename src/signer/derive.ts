/**
 * The key that is derived from a password, by `node:crypto` (OpenSSL): many times as fast as in JavaScript, and on a
 * thread of its own, so that nothing else waits.
 */
import { pbkdf2, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { scryptInThread } from './scrypt-thread.ts';

/** Work of scrypt: memory is 128 * n * r bytes, time grows with n * r * p. */
export type ScryptCost = { n: number; r: number; p: number };

const DERIVED_BYTES = 32;
const toPbkdf2Key = promisify(pbkdf2);

/**
 * 32 bytes of scrypt; the caller overwrites them after use. `password` counts as its UTF-8 bytes: its letters are not
 * normalised, just as in other wallets. Rejects when there is too little memory.
 */
export function deriveByScrypt(
  password: string,
  salt: Uint8Array,
  { n, r, p }: ScryptCost,
): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(password);
  return isWithinDefinition({ n, r })
    ? scryptOf(bytes, salt, { n, r, p })
    : scryptInThread({ password: bytes, salt, n, r, p, length: DERIVED_BYTES });
}

/** 32 bytes of PBKDF2 with HMAC-SHA-256; `password` as above. */
export function deriveByPbkdf2(
  password: string,
  salt: Uint8Array,
  iterations: number,
): Promise<Uint8Array> {
  const bytes = new TextEncoder().encode(password);
  return toPbkdf2Key(bytes, salt, iterations, DERIVED_BYTES, 'sha256');
}

/**
 * Whether n is within the bound of RFC 7914, section 2, which OpenSSL enforces. Other programs do not: Python's
 * eth-keyfile, for one, writes n = 262144 with r = 1.
 */
function isWithinDefinition({ n, r }: Pick<ScryptCost, 'n' | 'r'>): boolean {
  return Math.log2(n) < 16 * r;
}

function scryptOf(password: Uint8Array, salt: Uint8Array, { n, r, p }: ScryptCost) {
  // What OpenSSL counts: the table, a block for each lane, and two to work in.
  const maxmem = 128 * r * (n + p + 2);
  return new Promise<Uint8Array>((resolve, reject) => {
    scrypt(password, salt, DERIVED_BYTES, { N: n, r, p, maxmem }, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}
