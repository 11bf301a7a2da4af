import { describe, expect, it } from 'vitest';
import {
  GAS_PER_BLOCK,
  gasOfBatch,
  gasOfSecrets,
  MOST_SECRETS_IN_BATCH,
  secretsPerBlock,
  secretsWithin,
} from '../../../src/chain/queue/secret-batches.ts';

describe('the gas of registrations', () => {
  it('is counted once for each transaction and once for each secret', () => {
    expect(gasOfBatch(1)).toBe(57_500n);
    expect(gasOfBatch(100)).toBe(2_780_000n);
    expect(gasOfSecrets(100)).toBe(gasOfBatch(100));
    expect(gasOfSecrets(160)).toBe(gasOfBatch(100) + gasOfBatch(60));
    expect(gasOfSecrets(0)).toBe(0n);
  });
});

describe('secretsWithin', () => {
  it('fills the gas, but never with less than one secret or more than a batch', () => {
    expect(secretsWithin(gasOfBatch(7))).toBe(7);
    expect(secretsWithin(gasOfBatch(7) - 1n)).toBe(6);
    expect(secretsWithin(0n)).toBe(1);
    expect(secretsWithin(10n ** 18n)).toBe(MOST_SECRETS_IN_BATCH);
  });
});

describe('secretsPerBlock', () => {
  it('is what fits into the gas that is counted on', () => {
    expect(secretsPerBlock()).toBe(214);
    expect(gasOfSecrets(secretsPerBlock())).toBeLessThanOrEqual(GAS_PER_BLOCK);
    expect(gasOfSecrets(secretsPerBlock() + 1)).toBeGreaterThan(GAS_PER_BLOCK);
    expect(secretsPerBlock(gasOfBatch(1) - 1n)).toBe(0);
  });
});
