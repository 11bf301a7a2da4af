/** libsecp256k1 through the native addon of the `secp256k1` package. */
import { createRequire } from 'node:module';
import type { Curve } from './curve.ts';

type Addon = typeof import('secp256k1');

/** RFC 6979 signature of the digest 01…01 by the key 02…02, to see that an addon computes what it should. */
const KNOWN_SIGNATURE =
  '9d0bad576719d32ae76bedb34c774866673cbde3f4e12951555c9408e6ce774b2876e7102f204f6bfee26c967c3926ce702cf97d4b010062e193f763190f6776';

/** x of what the keys 02…02 and 03…03 have in common. */
const KNOWN_SHARED_X = 'aca78f27d5f23b2e7254a0bb8df128e7c0f922d47ccac72814501e07b7291886';

/** Loads the entry of the package that fails without its addon; the main entry uses slow JavaScript instead. */
function requireAddon(): Addon {
  return createRequire(import.meta.url)('secp256k1/bindings');
}

function curveOf(addon: Addon): Curve {
  return {
    isPrivateKey: (bytes) => bytes.length === 32 && addon.privateKeyVerify(bytes),
    publicKey: (privateKey) => addon.publicKeyCreate(privateKey, false),
    signInto: (out, digest, privateKey) => addon.ecdsaSign(digest, privateKey, {}, out).recid,
    recoverKey: (digest, signature, parity) => addon.ecdsaRecover(signature, parity, digest, false),
    expandKey: (publicKey) => addon.publicKeyConvert(publicKey, false),
    sharedX(publicKey, privateKey) {
      // Without a hash function of the caller's, the addon returns the sha256 of the point.
      const buffers = { xbuf: new Uint8Array(32), ybuf: new Uint8Array(32) };
      const options = { hashfn: (x: Uint8Array) => x, ...buffers };
      return addon.ecdh(publicKey, privateKey, options, new Uint8Array(32));
    },
  };
}

function isSound(curve: Curve): boolean {
  const signature = new Uint8Array(64);
  const digest = new Uint8Array(32).fill(1);
  const key = new Uint8Array(32).fill(2);
  const parity = curve.signInto(signature, digest, key);
  if (Buffer.from(signature).toString('hex') !== KNOWN_SIGNATURE) return false;
  if (parity !== 0 && parity !== 1) return false;
  const recovered = curve.recoverKey(digest, signature, parity);
  if (!Buffer.from(recovered).equals(curve.publicKey(key))) return false;
  const shared = curve.sharedX(curve.publicKey(new Uint8Array(32).fill(3)), key);
  return Buffer.from(shared).toString('hex') === KNOWN_SHARED_X;
}

/**
 * The native curve, or null when the addon is missing for this platform, does not load, or fails a
 * known signature or a known shared secret.
 */
export function loadNative(load: () => Addon = requireAddon): Curve | null {
  try {
    const curve = curveOf(load());
    return isSound(curve) ? curve : null;
  } catch {
    return null;
  }
}
