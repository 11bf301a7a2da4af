/**
 * Keys and signatures for a simulated network: they take a hundredth of the time of real ones, and are as good in a
 * world in which everybody uses them. A signature is a hash over a secret of this world, the signer's number and
 * the digest; in the world only the holder of the signer can compute it. It has every property of a real signature
 * that the node checks: lengths, v, an s in the lower half, an address that is the hash of the public key. A real
 * contract accepts none of them.
 */

import { type Address, type Signature, toHex } from '../../basics/hex.ts';
import { keccak256, sha256 } from '../../protocol/hash.ts';
import {
  addressOfPublicKey,
  COMPRESSED_KEY_BYTES,
  compressedKey,
} from '../../protocol/public-key.ts';
import type { Cipher } from '../../signer/seal.ts';
import { accountOf, type Signer } from '../../signer/signer.ts';
import { FAST_CIPHER } from './fast-cipher.ts';

export type SimulatedKeys = {
  /** The signer with key number `index`, from 0; each call returns a new one, which can be wiped by itself. */
  signerOf(index: number): Signer;
  /** The signer's address, or null when nobody of this world has signed the digest. v is 27 or 28. */
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
  /** The address of a compressed public key, or null when the key is not of this world. */
  addressOf(publicKey: Uint8Array): Address | null;
  /** What this world's messages are sealed with. */
  cipher: Cipher;
};

type Identity = { index: number; publicKey: Uint8Array; compressed: Uint8Array; address: Address };

const WORLD_BYTES = 16;
const DIGEST_BYTES = 32;
const SIGNATURE_BYTES = 65;
/** Offsets in r, s, v of the signer's number plus 1 (as s must not be zero), and of v. */

const SIGNER_AT = 60;
const V_AT = 64;
/** The purpose of a hash is hashed too, so that two purposes never share one. */
const PURPOSE = { signature: 0, shared: 1, x: 2, y: 3 } as const;

/** All keys follow from the name of the world, e.g. its seed. */
export function createFastCrypto(world: string): SimulatedKeys {
  const hash = createWorldHash(world);
  const identities = new Map<number, Identity>();
  const byKey = new Map<string, Identity>();

  function identityOf(index: number): Identity {
    const known = identities.get(index);
    if (known !== undefined) return known;
    const publicKey = Buffer.concat([
      Uint8Array.of(4),
      hash(PURPOSE.x, index, NO_BYTES),
      hash(PURPOSE.y, index, NO_BYTES),
    ]);
    const compressed = compressedKey(publicKey);
    const identity = { index, publicKey, compressed, address: addressOfPublicKey(publicKey) };
    identities.set(index, identity);
    byKey.set(textOf(compressed), identity);
    return identity;
  }

  function signatureOf(digest: Uint8Array, index: number): Uint8Array {
    if (digest.length !== DIGEST_BYTES) throw new Error('a digest has 32 bytes');
    const signature = Buffer.allocUnsafe(SIGNATURE_BYTES).fill(0);
    const r = hash(PURPOSE.signature, index, digest);
    signature.set(r);
    signature.writeUInt32BE(index + 1, SIGNER_AT);
    signature[V_AT] = 27 + ((r[0] ?? 0) & 1);
    return signature;
  }

  /** The shared secret of two keys, the same from both sides. */
  function sharedOf(a: number, b: number): Uint8Array {
    const other = Buffer.alloc(4);
    other.writeUInt32BE(Math.max(a, b));
    return hash(PURPOSE.shared, Math.min(a, b), other);
  }

  return {
    signerOf: (index) =>
      signerOf(identityOf(index), {
        sign: (digest) => toHex(signatureOf(digest, index)),
        sharedSecret(publicKey) {
          const other = byKey.get(textOf(publicKey));
          return other === undefined ? null : sharedOf(index, other.index);
        },
      }),
    recover(digest, signature) {
      if (signature.length !== SIGNATURE_BYTES || digest.length !== DIGEST_BYTES) return null;
      const signer = identities.get(signerIn(signature));
      if (signer === undefined) return null;
      const isSame = Buffer.compare(signatureOf(digest, signer.index), signature) === 0;
      return isSame ? signer.address : null;
    },
    addressOf: (publicKey) => byKey.get(textOf(publicKey))?.address ?? null,
    cipher: FAST_CIPHER,
  };
}

const NO_BYTES = new Uint8Array(0);

/** Hashes that only this world has: of purpose, number and up to 32 bytes more. */
function createWorldHash(world: string) {
  const salt = keccak256(Buffer.from(world)).subarray(0, WORLD_BYTES);
  const packed = Buffer.alloc(WORLD_BYTES + 1 + 4 + DIGEST_BYTES);
  packed.set(salt);
  return (purpose: number, index: number, bytes: Uint8Array): Uint8Array => {
    packed[WORLD_BYTES] = purpose;
    packed.writeUInt32BE(index, WORLD_BYTES + 1);
    packed.set(bytes, WORLD_BYTES + 5);
    return sha256(packed.subarray(0, WORLD_BYTES + 5 + bytes.length));
  };
}

type Operations = Pick<Signer, 'sign' | 'sharedSecret'>;

function signerOf({ address, publicKey }: Identity, operations: Operations): Signer {
  let wiped = false;
  const unwiped = (): Operations => {
    if (wiped) throw new Error(`the key of ${address} was wiped`);
    return operations;
  };
  const sign = (digest: Uint8Array): Signature => unwiped().sign(digest);
  const account = accountOf(address, sign);
  return {
    address,
    publicKey,
    sign,
    sharedSecret: (other) => unwiped().sharedSecret(other),
    signTransaction: account.signTransaction,
    account,
    wipe() {
      wiped = true;
    },
  };
}

/** The signer's number in a signature; the other bytes are compared later. */
function signerIn(signature: Uint8Array): number {
  const view = Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength);
  return view.readUInt32BE(SIGNER_AT) - 1;
}

/** A compressed public key as a map key; empty when its length is wrong. */
function textOf(publicKey: Uint8Array): string {
  if (publicKey.length !== COMPRESSED_KEY_BYTES) return '';
  const { buffer, byteOffset, byteLength } = publicKey;
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
