import { expect, test } from 'vitest';
import { sealedFor, secretInfo } from '../../../src/protocol/envelope.ts';
import { toHex } from '../../../src/protocol/hex.ts';
import { hashOf } from '../../support/makers.ts';

const REGISTRY = `0x${'11'.repeat(20)}` as const;
const INITIATOR = `0x${'22'.repeat(20)}` as const;
const TARGET = `0x${'33'.repeat(20)}` as const;

test('the key of a sealed secret is bound to the bytes that the documentation of messages names', () => {
  const place = { chainId: 31_337n, tokenNetworkRegistry: REGISTRY };
  const text = (words: string) => Buffer.from(words).toString('hex');
  const chainId = '7a69'.padStart(64, '0');
  const nodes = [REGISTRY, INITIATOR, TARGET].map((address) => address.slice(2)).join('');
  expect(toHex(secretInfo(place, INITIATOR, TARGET))).toBe(
    `0x${text('sluice secret 1')}${text('sluice seal 1')}${chainId}${nodes}`,
  );
});

test('a sealed secret is authenticated with its secrethash, payment identifier and amount, in this order', () => {
  const payment = { secrethash: hashOf(1), paymentId: 258n, amount: 5n };
  const [identifier, amount] = ['0102'.padStart(16, '0'), '05'.padStart(64, '0')];
  expect(toHex(sealedFor(payment))).toBe(`${hashOf(1)}${identifier}${amount}`);
});
