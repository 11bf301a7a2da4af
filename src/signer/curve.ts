/** The six operations on secp256k1 that the node needs, as each implementation offers them. */
export type Curve = {
  /** Whether these are 32 bytes of a number from 1 to the group order less one. */
  isPrivateKey(bytes: Uint8Array): boolean;
  /** 65 bytes, 4 | x | y, of a valid private key. */
  publicKey(privateKey: Uint8Array): Uint8Array;
  /** Writes r | s, s in the lower half, into `out` (64 bytes); returns the parity bit. RFC 6979. */
  signInto(out: Uint8Array, digest: Uint8Array, privateKey: Uint8Array): number;
  /** 65 bytes, 4 | x | y. Throws on a signature (64 bytes r | s) that no key can have made. */
  recoverKey(digest: Uint8Array, signature: Uint8Array, parity: 0 | 1): Uint8Array;
  /** 65 bytes, 4 | x | y, of 33 bytes 2 or 3 | x. Throws where that is no point of the curve. */
  expandKey(publicKey: Uint8Array): Uint8Array;
  /**
   * 32 bytes: x of the point that two keys have in common, as it is, without any hash. `publicKey` has 33 or 65
   * bytes. Throws when it is no point of the curve: by such a public key an attacker could find out the private key.
   */
  sharedX(publicKey: Uint8Array, privateKey: Uint8Array): Uint8Array;
};
