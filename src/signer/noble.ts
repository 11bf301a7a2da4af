/** The same curve in JavaScript: about 11 times slower at signing and 24 times at recovering. */
import { noble } from 'ox/Secp256k1';
import type { Curve } from './curve.ts';

export const nobleCurve: Curve = {
  isPrivateKey: (bytes) => noble.utils.isValidSecretKey(bytes),
  publicKey: (privateKey) => noble.getPublicKey(privateKey, false),
  signInto(out, digest, privateKey) {
    const options = { prehash: false, lowS: true, extraEntropy: false } as const;
    const recovered = noble.sign(digest, privateKey, { ...options, format: 'recovered' });
    out.set(recovered.subarray(1));
    return recovered[0] ?? 0;
  },
  recoverKey(digest, signature, parity) {
    const recovered = Uint8Array.of(parity, ...signature);
    return noble.Signature.fromBytes(recovered, 'recovered')
      .recoverPublicKey(digest)
      .toBytes(false);
  },
  expandKey: (publicKey) => noble.Point.fromBytes(publicKey).toBytes(false),
  sharedX: (publicKey, privateKey) => noble.getSharedSecret(privateKey, publicKey, true).slice(1),
};
