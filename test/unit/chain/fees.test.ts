import { describe, expect, it } from 'vitest';
import { bumpedFees, firstFees, isTooDear } from '../../../src/chain/queue/fees.ts';

const market = { headBlock: 1n, baseFee: 1000n, tip: 100n };

describe('fees', () => {
  it('leave room for a doubled base fee, an urgent one for a tripled and with twice the tip', () => {
    expect(firstFees(market, false)).toEqual({ maxFeePerGas: 2100n, maxPriorityFeePerGas: 100n });
    expect(firstFees(market, true)).toEqual({ maxFeePerGas: 3200n, maxPriorityFeePerGas: 200n });
  });

  it('rise by an eighth at least, in both parts, so that pools take the replacement', () => {
    for (const price of [0n, 1n, 7n, 2100n, 10n ** 12n]) {
      const old = { maxFeePerGas: price, maxPriorityFeePerGas: price };
      const { maxFeePerGas, maxPriorityFeePerGas } = bumpedFees(
        old,
        { ...market, baseFee: 0n, tip: 0n },
        false,
      );
      for (const next of [maxFeePerGas, maxPriorityFeePerGas]) {
        expect(next).toBeGreaterThan(price);
        expect(next * 1000n).toBeGreaterThanOrEqual(price * 1125n);
      }
    }
  });

  it('follow the market when it rose by more', () => {
    const old = firstFees(market, false);
    expect(bumpedFees(old, { ...market, baseFee: 50_000n }, false).maxFeePerGas).toBe(100_100n);
  });

  it('stop rising at ten times of what is usual', () => {
    expect(isTooDear({ maxFeePerGas: 21_000n, maxPriorityFeePerGas: 0n }, market)).toBe(false);
    expect(isTooDear({ maxFeePerGas: 21_001n, maxPriorityFeePerGas: 0n }, market)).toBe(true);
  });
});
