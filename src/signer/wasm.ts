/** libsecp256k1 as WebAssembly, for machines without the addon: two to five times slower than that. */
import * as tiny from 'tiny-secp256k1';
import type { Curve } from './curve.ts';

export const wasmCurve: Curve = {
  isPrivateKey: (bytes) => bytes.length === 32 && tiny.isPrivate(bytes),
  publicKey: (privateKey) => known(tiny.pointFromScalar(privateKey, false)),
  signInto(out, digest, privateKey) {
    const { signature, recoveryId } = tiny.signRecoverable(digest, privateKey);
    out.set(signature);
    return recoveryId;
  },
  recoverKey: (digest, signature, parity) => known(tiny.recover(digest, signature, parity, false)),
  expandKey: (publicKey) => tiny.pointCompress(publicKey, false),
  sharedX: (publicKey, privateKey) =>
    known(tiny.pointMultiply(publicKey, privateKey, true)).slice(1),
};

function known(point: Uint8Array | null): Uint8Array {
  if (point === null) throw new Error('no point of the curve');
  return point;
}
