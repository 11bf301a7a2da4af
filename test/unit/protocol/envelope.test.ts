import { describe, expect, it, test } from 'vitest';
import { toHex } from '../../../src/basics/hex.ts';
import {
  encodeHeader,
  promiseIn,
  promiseText,
  SEAL_BYTES,
  sealedFor,
  secretInfo,
  splitSealed,
} from '../../../src/protocol/wire/envelope.ts';
import { hashOf, secretOf, TOKEN } from '../../support/makers.ts';

const REGISTRY = `0x${'11'.repeat(20)}` as const;
const INITIATOR = `0x${'22'.repeat(20)}` as const;
const TARGET = `0x${'33'.repeat(20)}` as const;

test('the key of a sealed secret is bound to the bytes that the documentation of messages names', () => {
  const place = { chainId: 31_337n, tokenNetworkRegistry: REGISTRY };
  const text = (words: string) => Buffer.from(words).toString('hex');
  const chainId = '7a69'.padStart(64, '0');
  const nodes = [REGISTRY, INITIATOR, TARGET].map((address) => address.slice(2)).join('');
  expect(toHex(secretInfo(place, INITIATOR, TARGET))).toBe(
    `0x${text('sluice secret 2')}${text('sluice seal 1')}${chainId}${nodes}`,
  );
});

test('a sealed secret is authenticated with its secrethash, payment identifier and token, in this order', () => {
  const payment = { secrethash: hashOf(1), paymentId: 258n, token: TOKEN };
  expect(toHex(sealedFor(payment))).toBe(
    `${hashOf(1)}${'0102'.padStart(16, '0')}${TOKEN.slice(2).toLowerCase()}`,
  );
});

test('what is sealed for the target is the secret and what it is promised', () => {
  const promised = { secret: secretOf(1), amount: 258n };
  const text = promiseText(promised);
  expect(toHex(text)).toBe(`${secretOf(1)}${'0102'.padStart(64, '0')}`);
  expect(promiseIn(text)).toEqual(promised);
});

describe('a sealed payload', () => {
  const salt = new Uint8Array(16).fill(5);
  const nonce = new Uint8Array(12).fill(6);
  const tag = new Uint8Array(16).fill(7);
  const keyOf = (first: number) => Uint8Array.from([first, ...new Uint8Array(32).fill(9)]);
  const headOf = (first: number) =>
    encodeHeader({ publicKey: keyOf(first), salt, counter: 0x0102_0304_0506 });
  const sealed = (head: Uint8Array, text: string) =>
    Buffer.concat([head, nonce, Buffer.from(text), tag]);
  const hexOf = (parts: Record<string, Uint8Array>) =>
    Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, toHex(bytes)]));

  it.each([2, 3])(
    'is taken apart where its layout says, under a key that begins with %s',
    (first) => {
      const payload = sealed(headOf(first), 'text');
      // As it comes out of a connection: in the middle of other bytes.
      const around = Buffer.concat([Buffer.from('before'), payload, Buffer.from('after')]);
      const split = splitSealed(around.subarray(6, 6 + payload.length));
      if (!split.ok) throw new Error(split.reason);
      const { counter, ...parts } = split.value;
      expect(counter).toBe(0x0102_0304_0506);
      expect(hexOf(parts)).toEqual(
        hexOf({
          publicKey: keyOf(first),
          salt,
          header: Buffer.concat([headOf(first), nonce]),
          nonce,
          ciphertext: Buffer.from('text'),
          tag,
        }),
      );
    },
  );

  it.each<[string, Uint8Array, string]>([
    ['without a byte of text', sealed(headOf(2), ''), 'too short'],
    ['of a version that is not known', sealed(headOf(2).fill(2, 0, 1), 'x'), 'version'],
    ['under the key 1', sealed(headOf(1), 'x'), 'public key'],
    ['under a key that is not compressed', sealed(headOf(4), 'x'), 'public key'],
  ])('is not one %s', (_, payload, reason) => {
    expect(splitSealed(payload)).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('may have a single byte of text', () => {
    const payload = sealed(headOf(2), 'x');
    expect([payload.length, splitSealed(payload).ok]).toEqual([SEAL_BYTES + 1, true]);
  });
});
