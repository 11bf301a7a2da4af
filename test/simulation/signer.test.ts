import fc from 'fast-check';
import { hashMessage, parseTransaction, serializeTransaction } from 'viem';
import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/basics/hex.ts';
import { keccak256 } from '../../src/protocol/hash.ts';
import { compressedKey, isPublicKeyOf } from '../../src/protocol/public-key.ts';
import { createFastCrypto } from '../../src/simulation/signer/fast-crypto.ts';
import { sealingOf } from '../support/sealed.ts';
import { REGISTRY } from '../support/store.ts';

const crypto = createFastCrypto('1');
const [alice, bob, carol] = [crypto.signerOf(0), crypto.signerOf(1), crypto.signerOf(2)];
const everybody = [alice.address, bob.address, carol.address];
const anyDigest = fc.uint8Array({ minLength: 32, maxLength: 32 });
const PLACE = { chainId: 1n, tokenNetworkRegistry: REGISTRY } as const;

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return changed;
}

describe('the keys of a simulated network', () => {
  it('sign in the form of the real ones, the same for the same digest', () => {
    fc.assert(
      fc.property(anyDigest, (digest) => {
        const signature = alice.sign(digest);
        expect(signature).toMatch(/^0x[0-9a-f]{64}[0-7][0-9a-f]{63}1[bc]$/);
        expect(alice.sign(digest)).toBe(signature);
        expect(crypto.recover(digest, fromHex(signature))).toBe(alice.address);
      }),
    );
  });

  it('belong to nobody once a bit of the digest or of the signature is another', () => {
    const digest = keccak256(Uint8Array.of(1));
    const signature = fromHex(bob.sign(digest));
    for (let bit = 0; bit < 8 * 65; bit++)
      expect(crypto.recover(digest, flipped(signature, bit)), `${bit}`).toBeNull();
    for (let bit = 0; bit < 8 * 32; bit++)
      expect(crypto.recover(flipped(digest, bit), signature), `${bit}`).toBeNull();
  });

  it('cannot be put together from signatures of others', () => {
    const digests = [1, 2, 3].map((n) => keccak256(Uint8Array.of(n)));
    const parts = digests.flatMap((digest) =>
      [alice, carol].map((signer) => fromHex(signer.sign(digest))),
    );
    const part = fc.constantFrom(...parts);
    const forged = fc
      .tuple(part, part, part)
      .map(([r, s, v]) => Buffer.concat([r.slice(0, 32), s.slice(32, 64), v.slice(64)]));
    fc.assert(
      fc.property(forged, fc.constantFrom(...digests), (signature, digest) => {
        expect(crypto.recover(digest, signature)).not.toBe(bob.address);
        const signer = crypto.recover(digest, signature);
        const honest = [alice, carol].map((one) => one.sign(digest));
        expect(signer !== null).toBe(honest.includes(toHex(signature)));
      }),
    );
  });

  it('refuse bytes of other lengths, and signatures and keys that belong to nobody', () => {
    const digest = keccak256(Uint8Array.of(1));
    expect(crypto.recover(digest, new Uint8Array(64))).toBeNull();
    expect(crypto.recover(digest, new Uint8Array(65))).toBeNull();
    expect(crypto.recover(new Uint8Array(31), fromHex(alice.sign(digest)))).toBeNull();
    expect(crypto.addressOf(new Uint8Array(33))).toBeNull();
    expect(crypto.addressOf(alice.publicKey)).toBeNull();
    expect(alice.sharedSecret(new Uint8Array(33))).toBeNull();
  });

  it('have public keys whose hash is the address, also where they are compressed', () => {
    for (const { publicKey, address } of [alice, bob, carol]) {
      expect(isPublicKeyOf(publicKey, address)).toBe(true);
      expect(crypto.addressOf(compressedKey(publicKey))).toBe(address);
    }
    expect(new Set(everybody).size).toBe(3);
  });

  it('are others in another world, and the same in the same', () => {
    const same = createFastCrypto('1');
    const other = createFastCrypto('2');
    const digest = keccak256(Uint8Array.of(1));
    expect(same.signerOf(1).address).toBe(bob.address);
    expect(same.recover(digest, fromHex(bob.sign(digest)))).toBe(bob.address);
    expect(other.signerOf(1).address).not.toBe(bob.address);
    expect(other.recover(digest, fromHex(bob.sign(digest)))).toBeNull();
  });

  it('derive a shared secret in pairs that no third key derives', () => {
    const [a, b, c] = [alice, bob, carol].map(({ publicKey }) => compressedKey(publicKey));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three keys');
    const shared = alice.sharedSecret(b);
    expect(shared).toHaveLength(32);
    expect(bob.sharedSecret(a)).toEqual(shared);
    const others = [alice.sharedSecret(c), bob.sharedSecret(c), alice.sharedSecret(a)];
    for (const other of others) expect(other).not.toEqual(shared);
    alice.sharedSecret(b)?.fill(0);
    expect(alice.sharedSecret(b)).toEqual(shared);
  });

  it('sign nothing more once they are wiped, while the same key can be held anew', () => {
    const held = crypto.signerOf(7);
    held.wipe();
    expect(() => held.sign(new Uint8Array(32))).toThrow('wiped');
    expect(() => held.sharedSecret(compressedKey(alice.publicKey))).toThrow('wiped');
    expect(crypto.signerOf(7).sign(new Uint8Array(32))).toMatch(/^0x/);
  });

  it('sign transactions and messages as a wallet does', async () => {
    const transaction = { type: 'eip1559', chainId: 1, nonce: 3, to: bob.address } as const;
    const signed = await alice.signTransaction(transaction);
    const { r = '0x', s = '0x', yParity, ...read } = parseTransaction(signed);
    expect(read).toMatchObject({ nonce: 3 });
    const digest = keccak256(fromHex(serializeTransaction(transaction)));
    const pad = (word: string) => word.slice(2).padStart(64, '0');
    const signature = fromHex(`0x${pad(r)}${pad(s)}${yParity === 1 ? '1c' : '1b'}`);
    expect(crypto.recover(digest, signature)).toBe(alice.address);
    const told = await alice.account.signMessage({ message: 'hello' });
    expect(crypto.recover(fromHex(hashMessage('hello')), fromHex(told))).toBe(alice.address);
  });

  it('carry the sealed sessions of the nodes', () => {
    const parts = { addressOf: crypto.addressOf };
    const [a, b, c] = [alice, bob, carol].map((one) => sealingOf(one, PLACE, parts));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three sessions');
    a.learn(bob.address, bob.publicKey);
    const payload = a.seal(bob.address, Buffer.from('a line'));
    if (payload === null) throw new Error('the key of Bob is known');
    expect(c.open(payload)).toMatchObject({ ok: false });
    expect(b.open(flipped(payload, 8 * (payload.length - 1)))).toMatchObject({ ok: false });
    const opened = b.open(payload);
    expect(opened).toMatchObject({ ok: true, sender: alice.address });
    expect(opened.ok && Buffer.from(opened.text).toString()).toBe('a line');
    expect(b.open(payload)).toMatchObject({ ok: false });
    expect(b.seal(alice.address, Buffer.from('back'))).not.toBeNull();
  });
});
