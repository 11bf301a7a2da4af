/**
 * Signatures as the protocol knows them: 65 bytes r | s | v, over a digest of 32 bytes.
 *
 * Signing is deterministic (RFC 6979), so a message that is built again is the same message.
 */
import type { Address } from '../basics/hex.ts';
import { addressOfPublicKey, COMPRESSED_KEY_BYTES } from '../protocol/public-key.ts';
import type { Curve } from './curve.ts';
import { loadNative } from './native.ts';

const native = loadNative();
const curve: Curve = native ?? (await import('./wasm.ts')).wasmCurve;

/** Half of the group order: of the two signatures s and order - s, only the lower is accepted. */
const HALF_ORDER = Buffer.from(
  '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0',
  'hex',
);

/** Which implementation signs and recovers here: the native addon, or WebAssembly in its place. */
export function bindingKind(): 'native' | 'fallback' {
  return native === null ? 'fallback' : 'native';
}

/** What to tell the operator at start, or null when the native addon is at work. */
export function warning(kind = bindingKind()): string | null {
  if (kind === 'native') return null;
  return (
    `the native secp256k1 addon did not load on ${process.platform}-${process.arch}: signatures are ` +
    'computed in WebAssembly, two to five times slower. Run "npm rebuild secp256k1" with a C++ compiler installed.'
  );
}

/** Whether these bytes can be a private key. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  return curve.isPrivateKey(bytes);
}

/** The address of a valid private key. */
export function addressOf(privateKey: Uint8Array): Address {
  return addressOfPublicKey(curve.publicKey(privateKey));
}

/** 65 bytes, 4 | x | y, of a valid private key. */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  return curve.publicKey(privateKey);
}

/**
 * The address of a compressed public key, which may come from anybody, or null when the bytes are no public key;
 * never throws.
 */
export function addressOfCompressed(publicKey: Uint8Array): Address | null {
  if (publicKey.length !== COMPRESSED_KEY_BYTES) return null;
  try {
    return addressOfPublicKey(curve.expandKey(publicKey));
  } catch {
    return null;
  }
}

/**
 * The 32 bytes that only the holders of the two keys can compute: x of their common point, to be put through a key
 * derivation. Null when the bytes, which may come from anybody, are no public key; never throws for them.
 */
export function sharedSecret(publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array | null {
  if (publicKey.length !== COMPRESSED_KEY_BYTES) return null;
  try {
    return curve.sharedX(publicKey, privateKey);
  } catch {
    return null;
  }
}

/** 65 bytes r | s | v with s in the lower half and v 27 or 28. Throws on an invalid private key. */
export function sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array {
  const signature = new Uint8Array(65);
  const parity = curve.signInto(signature.subarray(0, 64), digest, privateKey);
  // Two further parities exist for an r above the group order; nobody has ever seen one, and no verifier accepts it.
  if (parity !== 0 && parity !== 1) throw new Error('no usable signature for this digest');
  signature[64] = 27 + parity;
  return signature;
}

/**
 * Who signed the digest, or null when the bytes are no signature; never throws. v may be 0, 1, 27 or 28.
 *
 * The contracts also accept s in the upper half, which anybody can make out of a signature without its key. Here it
 * is refused, as no honest signer makes it: otherwise one consent could count as two.
 */
export function recover(digest: Uint8Array, signature: Uint8Array): Address | null {
  if (signature.length !== 65 || digest.length !== 32) return null;
  const parity = parityOf(signature[64]);
  if (parity === null || isUpperHalf(signature)) return null;
  try {
    return addressOfPublicKey(curve.recoverKey(digest, signature.subarray(0, 64), parity));
  } catch {
    return null;
  }
}

function parityOf(v: number | undefined): 0 | 1 | null {
  if (v === 0 || v === 27) return 0;
  return v === 1 || v === 28 ? 1 : null;
}

function isUpperHalf(signature: Uint8Array): boolean {
  return Buffer.compare(signature.subarray(32, 64), HALF_ORDER) > 0;
}
