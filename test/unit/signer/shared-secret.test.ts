import { createECDH } from 'node:crypto';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../../src/basics/hex.ts';
import {
  addressOfPublicKey,
  compressedKey,
  isPublicKeyOf,
} from '../../../src/protocol/public-key.ts';
import {
  addressOf,
  addressOfCompressed,
  publicKeyOf,
  sharedSecret,
} from '../../../src/signer/ecdsa.ts';
import { loadNative } from '../../../src/signer/native.ts';
import { createSigner } from '../../../src/signer/signer.ts';
import { wasmCurve } from '../../../src/signer/wasm.ts';

const privateKeys = () =>
  fc
    .bigInt({ min: 1n, max: 2n ** 255n })
    .map((value) => fromHex(`0x${value.toString(16).padStart(64, '0')}`));
const point = (prefix: number, x: bigint) =>
  fromHex(`0x0${prefix}${x.toString(16).padStart(64, '0')}`);
const PRIME = 2n ** 256n - 2n ** 32n - 977n;

/** What comes as a key from strangers, and is none. */
const NO_KEYS: [string, Uint8Array][] = [
  ['x that is on no point', point(2, 5n)],
  ['x of 0', point(2, 0n)],
  ['x of the prime', point(3, PRIME)],
  ['x above the prime', point(2, PRIME + 1n)],
  ['x of all ones', point(3, 2n ** 256n - 1n)],
  ['a prefix of 4', point(4, 1n)],
  ['a prefix of 0', point(0, 1n)],
  ['32 bytes', new Uint8Array(32).fill(1)],
  ['nothing', new Uint8Array(0)],
  ['an uncompressed key', publicKeyOf(new Uint8Array(32).fill(1))],
];

describe('a shared secret', () => {
  it('is the same from both sides, on both curves, and as OpenSSL computes it', () => {
    const native = loadNative();
    if (native === null) throw new Error('the addon is missing');
    fc.assert(
      fc.property(privateKeys(), privateKeys(), (one, other) => {
        const [first, second] = [publicKeyOf(one), publicKeyOf(other)].map(compressedKey);
        if (first === undefined || second === undefined) throw new Error('two keys');
        const shared = sharedSecret(second, one);
        expect(sharedSecret(first, other)).toEqual(shared);
        expect(Buffer.from(native.sharedX(second, one)).equals(shared ?? first)).toBe(true);
        expect(Buffer.from(wasmCurve.sharedX(second, one)).equals(shared ?? first)).toBe(true);
        const openssl = createECDH('secp256k1');
        openssl.setPrivateKey(one);
        expect(openssl.computeSecret(second).equals(shared ?? first)).toBe(true);
        expect(openssl.getPublicKey(null, 'compressed').equals(first)).toBe(true);
        expect(wasmCurve.expandKey(first)).toEqual(native.expandKey(first));
        expect(addressOfCompressed(first)).toBe(addressOf(one));
      }),
      { numRuns: 25 },
    );
  });

  it.each(NO_KEYS)('is not made with %s', (_, publicKey) => {
    const key = new Uint8Array(32).fill(3);
    expect(sharedSecret(publicKey, key)).toBeNull();
    expect(addressOfCompressed(publicKey)).toBeNull();
    expect(() => wasmCurve.sharedX(publicKey.subarray(0, 33), key)).toThrow();
  });

  it('is made by a signer, until it is wiped, and shows nothing of the key', () => {
    const key = new Uint8Array(32).fill(3);
    const signer = createSigner(key);
    const other = compressedKey(createSigner(new Uint8Array(32).fill(4)).publicKey);
    expect(signer.sharedSecret(other)).toEqual(sharedSecret(other, key));
    expect(toHex(signer.sharedSecret(other) ?? key)).not.toContain('0303');
    expect(isPublicKeyOf(signer.publicKey, signer.address)).toBe(true);
    expect(addressOfPublicKey(signer.publicKey)).toBe(signer.address);
    signer.wipe();
    expect(() => signer.sharedSecret(other)).toThrow('wiped');
  });

  it('is reason enough not to take an addon that computes it wrongly', () => {
    const addon: typeof import('secp256k1') = createRequire(import.meta.url)('secp256k1');
    const broken: typeof addon = { ...addon, ecdh: () => new Uint8Array(32).fill(1) };
    expect(loadNative(() => broken)).toBeNull();
  });
});
