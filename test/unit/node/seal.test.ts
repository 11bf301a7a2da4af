import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fromHex, type Hex, parseAddress, toHex } from '../../../src/basics/hex.ts';
import { compressedKey } from '../../../src/protocol/public-key.ts';
import {
  promiseText,
  SEAL_BYTES,
  sealedFor,
  sealInfo,
  secretInfo,
  splitSealed,
} from '../../../src/protocol/wire/envelope.ts';
import { seal, sealKeys, sealSecret, unseal, unsealSecret } from '../../../src/signer/seal.ts';
import { createSigner } from '../../../src/signer/signer.ts';
import vectors from '../../sealed-vectors.json' with { type: 'json' };

const bytes = (text: string) => fromHex(hex(text));
const hex = (text: string): Hex => `0x${text.replace(/^0x/, '')}`;
const registry = parseAddress(vectors.place.token_network_registry) ?? '0x';
const place = { chainId: BigInt(vectors.place.chain_id), tokenNetworkRegistry: registry };
const alice = createSigner(bytes(vectors.nodes.alice.private_key));
const bob = createSigner(bytes(vectors.nodes.bob.private_key));

/** What the two nodes of a vector derive, each with its own key. */
function derived({ sender, salt }: { sender: string; salt: string }) {
  const [from, to] = sender === 'alice' ? [alice, bob] : [bob, alice];
  const shared = from.sharedSecret(compressedKey(to.publicKey));
  if (shared === null) throw new Error('the keys are good');
  const info = sealInfo(place, from.address, to.address);
  return { from, to, shared, keys: sealKeys(shared, bytes(salt), info) };
}

function parts(payload: Uint8Array) {
  const split = splitSealed(payload);
  if (!split.ok) throw new Error(split.reason);
  return split.value;
}

describe('a sealed secret', () => {
  it.each(vectors.secrets)('from $name is made and opened to the byte', (row) => {
    const [from, to] = row.initiator === 'alice' ? [alice, bob] : [bob, alice];
    const shared = from.sharedSecret(compressedKey(to.publicKey)) ?? new Uint8Array();
    const info = secretInfo(place, from.address, to.address);
    const keys = sealKeys(shared, new Uint8Array(), info);
    const payment = {
      secrethash: hex(row.secrethash),
      paymentId: BigInt(row.payment_identifier),
      token: hex(row.token),
    };
    const text = promiseText({ secret: hex(row.secret), amount: BigInt(row.amount) });
    expect(toHex(sealSecret(keys, sealedFor(payment), text))).toBe(row.sealed);
    const opened = unsealSecret(keys, sealedFor(payment), bytes(row.sealed));
    expect(opened && toHex(opened)).toBe(toHex(text));
  });
});

describe('a sealed payload', () => {
  it.each(vectors.payloads)('from $name is made and opened to the byte', (row) => {
    const { from, to, shared, keys } = derived(row);
    const { salt, counter, text } = row;
    expect(toHex(shared)).toBe(row.shared_x);
    expect(to.sharedSecret(compressedKey(from.publicKey))).toEqual(shared);
    expect([toHex(keys.cipher), toHex(keys.nonce)]).toEqual([row.cipher_key, row.nonce_key]);
    const header = { publicKey: compressedKey(from.publicKey), salt: bytes(salt), counter };
    const payload = seal(keys, header, Buffer.from(text));
    expect(toHex(payload)).toBe(row.payload);
    expect(payload).toHaveLength(Buffer.byteLength(text) + SEAL_BYTES);
    const split = parts(payload);
    expect(split).toMatchObject({ counter, salt: bytes(salt) });
    expect(Buffer.from(unseal(keys, split) ?? []).toString()).toBe(text);
  });

  it('does not open with any bit of it changed, or any byte of its end missing', () => {
    for (const row of vectors.payloads.slice(0, 2)) {
      const { keys } = derived(row);
      const payload = Uint8Array.from(bytes(row.payload));
      for (let at = 0; at < payload.length * 8; at++) {
        const changed = payload.slice();
        changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
        const split = splitSealed(changed);
        if (split.ok) expect(unseal(keys, split.value), `bit ${at}`).toBeNull();
      }
      for (let length = 0; length < payload.length; length++) {
        const split = splitSealed(payload.subarray(0, length));
        if (split.ok) expect(unseal(keys, split.value)).toBeNull();
      }
    }
  });

  it('has another nonce with another text, though a counter came twice', () => {
    const [row] = vectors.payloads;
    if (row === undefined) throw new Error('there is one');
    const { from, keys } = derived(row);
    const header = { publicKey: compressedKey(from.publicKey), salt: bytes(row.salt), counter: 9 };
    const sealed = (text: string) => seal(keys, header, Buffer.from(text));
    expect(sealed('one')).toEqual(sealed('one'));
    expect(parts(sealed('one')).nonce).not.toEqual(parts(sealed('two')).nonce);
  });

  it.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(0), 'too short'],
    ['a header and a tag alone', new Uint8Array(SEAL_BYTES).fill(1), 'too short'],
    ['messages in the clear', Buffer.from(`{"type":"Processed"}${' '.repeat(100)}`), 'version'],
    ['another version', bytes(vectors.payloads[0]?.payload.replace('0x01', '02') ?? ''), 'version'],
    ['a key that is not compressed', bytes(`0x0104${'11'.repeat(200)}`), 'public key'],
  ])('is not %s', (_, payload, reason) => {
    expect(splitSealed(payload)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('shows its keys in no error', () => {
    const [row] = vectors.payloads;
    if (row === undefined) throw new Error('there is one');
    const { keys } = derived(row);
    const short = { ...parts(bytes(row.payload)), tag: new Uint8Array(4) };
    const text = (() => {
      try {
        return String(unseal(keys, short));
      } catch (error) {
        return inspect(error);
      }
    })();
    expect(text).not.toContain(row.cipher_key.slice(2, 20));
  });
});
