import { inspect } from 'node:util';
import type { TransactionSerializable } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/basics/hex.ts';
import { recover } from '../../../src/signer/ecdsa.ts';
import { createSigner } from '../../../src/signer/signer.ts';

const key = new Uint8Array(32).map((_, index) => index + 100);
const reference = privateKeyToAccount(toHex(key));
const digest = new Uint8Array(32).fill(9);

describe('a signer', () => {
  it('signs what viem signs with the same key', async () => {
    const signer = createSigner(key);
    expect(signer.address).toBe(reference.address);
    expect(signer.sign(digest)).toBe(await reference.sign({ hash: toHex(digest) }));
    expect(recover(digest, Buffer.from(signer.sign(digest).slice(2), 'hex'))).toBe(signer.address);
  });

  const call = {
    chainId: 31337,
    gas: 21_000n,
    to: reference.address,
    value: 5n,
    data: '0x1234',
  } as const;
  it.each<[string, TransactionSerializable]>([
    ['fee market', { ...call, type: 'eip1559', maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }],
    ['access list', { ...call, type: 'eip2930', gasPrice: 7n, accessList: [] }],
    ['legacy', { ...call, type: 'legacy', gasPrice: 7n }],
  ])('signs a transaction of the %s kind as viem does', async (_, kind) => {
    const signer = createSigner(key);
    for (let nonce = 0; nonce < 8; nonce++) {
      const transaction: TransactionSerializable = { ...kind, nonce };
      const expected = await reference.signTransaction(transaction);
      expect(await signer.signTransaction(transaction)).toBe(expected);
    }
  });

  it('signs texts and typed data as viem does', async () => {
    const { account } = createSigner(key);
    const typed = {
      types: { Mail: [{ name: 'text', type: 'string' }] },
      primaryType: 'Mail',
      domain: { chainId: 1 },
      message: { text: 'hello' },
    } as const;
    const message = { message: 'hello' };
    expect(await account.signMessage(message)).toBe(await reference.signMessage(message));
    expect(await account.signTypedData(typed)).toBe(await reference.signTypedData(typed));
  });

  it('shows its key nowhere', () => {
    const signer = createSigner(key);
    const shown = [
      inspect(signer, { depth: null, showHidden: true, showProxy: true, getters: true }),
      JSON.stringify(signer),
      String(signer),
      Object.values(signer).map(String).join(),
    ].join('\n');
    expect(shown).toContain(signer.address);
    expect(shown.toLowerCase()).not.toContain(toHex(key).slice(2, 18));
    expect(shown).not.toContain('100, 101, 102');
  });

  it('keeps its own copy, so that the caller can overwrite the key', () => {
    const given = Uint8Array.from(key);
    const signer = createSigner(given);
    const before = signer.sign(digest);
    given.fill(0);
    expect(signer.sign(digest)).toBe(before);
  });

  it('signs nothing after it was wiped', async () => {
    const signer = createSigner(key);
    signer.wipe();
    expect(() => signer.sign(digest)).toThrow('wiped');
    await expect(signer.signTransaction({ chainId: 1, type: 'eip1559' })).rejects.toThrow('wiped');
  });

  it.each([0, 31, 33])('is not made of %i bytes', (length) => {
    expect(() => createSigner(new Uint8Array(length).fill(1))).toThrow('private key');
  });
});
