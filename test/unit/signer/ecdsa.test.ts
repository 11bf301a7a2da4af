import { createRequire } from 'node:module';
import fc from 'fast-check';
import { recoverAddress } from 'viem';
import { privateKeyToAccount, sign as viemSign } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { fromHex, type Hex, parseAddress, toHex } from '../../../src/basics/hex.ts';
import {
  addressOf,
  bindingKind,
  isPrivateKey,
  recover,
  sign,
  warning,
} from '../../../src/signer/ecdsa.ts';
import { loadNative } from '../../../src/signer/native.ts';
import { wasmCurve } from '../../../src/signer/wasm.ts';
import vectors from '../../vectors.json' with { type: 'json' };

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const hex = (text: string): Hex => `0x${text.replace(/^0x/, '')}`;
const word = (value: bigint) => fromHex(hex(value.toString(16).padStart(64, '0')));
const bytes32 = () => fc.uint8Array({ minLength: 32, maxLength: 32 });
const privateKeys = () => fc.bigInt({ min: 1n, max: ORDER - 1n }).map(word);
const digest = new Uint8Array(32).fill(7);
const key = word(0xabcdefn);

/** A signature by `key` of `digest` with some bytes replaced. */
function altered(changes: { r?: bigint; s?: bigint; v?: number }): Uint8Array {
  const signature = sign(digest, key);
  if (changes.r !== undefined) signature.set(word(changes.r), 0);
  if (changes.s !== undefined) signature.set(word(changes.s), 32);
  if (changes.v !== undefined) signature[64] = changes.v;
  return signature;
}

const sOf = (signature: Uint8Array) => BigInt(toHex(signature.subarray(32, 64)));
const vOf = (signature: Uint8Array) => signature[64] ?? -1;

describe('signatures of the published messages', () => {
  const privateKey = fromHex(hex(vectors.messages.key.private_key));
  const cases = vectors.messages.cases.flatMap(({ name, eip191_hash, json, signer }) =>
    'signature' in json && typeof json.signature === 'string' && eip191_hash !== undefined
      ? [{ name, digest: fromHex(hex(eip191_hash)), signature: json.signature, signer }]
      : [],
  );

  it.each(cases)('recovers the signer of $name', ({ digest, signature, signer }) => {
    expect(recover(digest, fromHex(hex(signature)))).toBe(parseAddress(signer));
  });

  it.each(cases.filter(({ signer }) => signer === vectors.messages.key.address))(
    'makes the very same signature of $name',
    ({ digest, signature }) => {
      expect(toHex(sign(digest, privateKey))).toBe(signature.toLowerCase());
    },
  );

  it('has many of them', () => {
    expect(cases.length).toBeGreaterThan(10);
    expect(addressOf(privateKey)).toBe(parseAddress(vectors.messages.key.address));
  });
});

describe('agreement with viem', () => {
  it('signs the same bytes and recovers the same address', async () => {
    await fc.assert(
      fc.asyncProperty(bytes32(), privateKeys(), async (hash, privateKey) => {
        const ours = sign(hash, privateKey);
        const { address } = privateKeyToAccount(toHex(privateKey));
        const theirs = await viemSign({
          hash: toHex(hash),
          privateKey: toHex(privateKey),
          to: 'hex',
        });
        expect(toHex(ours)).toBe(theirs);
        expect(addressOf(privateKey)).toBe(address);
        expect(recover(hash, ours)).toBe(address);
        expect(await recoverAddress({ hash: toHex(hash), signature: toHex(ours) })).toBe(address);
      }),
      { numRuns: 60 },
    );
  });

  it('is the same on the native curve and on the one in WebAssembly', () => {
    const native = loadNative();
    expect(native).not.toBeNull();
    if (native === null) return;
    fc.assert(
      fc.property(bytes32(), privateKeys(), (hash, privateKey) => {
        const [out, other] = [new Uint8Array(64), new Uint8Array(64)];
        const parity = native.signInto(out, hash, privateKey);
        expect(wasmCurve.signInto(other, hash, privateKey)).toBe(parity);
        expect(other).toEqual(out);
        expect(wasmCurve.publicKey(privateKey)).toEqual(native.publicKey(privateKey));
        if (parity !== 0 && parity !== 1) throw new Error('parity');
        expect(wasmCurve.recoverKey(hash, out, parity)).toEqual(native.publicKey(privateKey));
      }),
      { numRuns: 40 },
    );
    for (const value of [0n, 1n, ORDER - 1n, ORDER, ORDER + 1n]) {
      expect(wasmCurve.isPrivateKey(word(value))).toBe(native.isPrivateKey(word(value)));
    }
  });
});

describe('recover', () => {
  const address = addressOf(key);

  it.each([0, 1, 27, 28])('takes v %i as a parity', (v) => {
    const expected = v % 27 === vOf(sign(digest, key)) - 27;
    expect(recover(digest, altered({ v })) === address).toBe(expected);
  });

  it.each([2, 3, 4, 26, 29, 30, 31, 128, 255])('refuses v %i', (v) => {
    expect(recover(digest, altered({ v }))).toBeNull();
  });

  it('refuses the second form of a signature that anybody can make', () => {
    const genuine = sign(digest, key);
    const v = 55 - vOf(genuine);
    const twin = altered({ s: ORDER - sOf(genuine), v });
    expect(recover(digest, twin)).toBeNull();
  });

  it.each<[string, { r?: bigint; s?: bigint }]>([
    ['r of zero', { r: 0n }],
    ['s of zero', { s: 0n }],
    ['r of the order', { r: ORDER }],
    ['s of the order', { s: ORDER }],
    ['s just above half', { s: ORDER / 2n + 1n }],
    ['r of all ones', { r: 2n ** 256n - 1n }],
    ['s of all ones', { s: 2n ** 256n - 1n }],
    ['r that is on no point', { r: 5n }],
  ])('refuses %s', (_, changes) => {
    expect(recover(digest, altered(changes))).toBeNull();
  });

  it('takes s of exactly half of the order', () => {
    expect(recover(digest, altered({ s: ORDER / 2n }))).not.toBeNull();
  });

  it.each([0, 1, 64, 66, 130])('refuses %i bytes', (length) => {
    expect(recover(digest, new Uint8Array(length).fill(1))).toBeNull();
    expect(recover(new Uint8Array(length), sign(digest, key))).toBeNull();
  });

  it('never throws and never finds the key holder in random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), bytes32(), (signature, hash) => {
        expect(recover(hash, signature)).not.toBe(address);
      }),
    );
  });

  it('gives another signer, or none, for another digest', () => {
    const signature = sign(digest, key);
    expect(recover(new Uint8Array(32).fill(8), signature)).not.toBe(address);
  });
});

describe('the binding', () => {
  it('is the native one here', () => {
    expect(bindingKind()).toBe('native');
    expect(warning()).toBeNull();
  });

  it('says what to do when it fell back', () => {
    expect(warning('fallback')).toContain('npm rebuild secp256k1');
  });

  it('is not taken when it does not load', () => {
    expect(loadNative(() => createRequire(import.meta.url)('./no-such-addon'))).toBeNull();
  });

  it('is not taken when it computes something wrong', () => {
    const addon: typeof import('secp256k1') = createRequire(import.meta.url)('secp256k1');
    expect(loadNative(() => addon)).not.toBeNull();
    const broken: typeof addon = {
      ...addon,
      ecdsaSign: (_digest, _key, _options, output) => {
        if (output instanceof Uint8Array) output.fill(1);
        return { signature: new Uint8Array(64), recid: 0 };
      },
    };
    expect(loadNative(() => broken)).toBeNull();
  });

  it.each([0n, ORDER, 2n ** 256n - 1n])('knows that %i is no private key', (value) => {
    expect(isPrivateKey(word(value))).toBe(false);
  });

  it('knows that 31 bytes are no private key', () => {
    expect(isPrivateKey(new Uint8Array(31).fill(1))).toBe(false);
    expect(isPrivateKey(word(1n))).toBe(true);
  });
});
