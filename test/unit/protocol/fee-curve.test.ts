import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  evenStep,
  imbalancePenalty,
  isPenaltyCurve,
} from '../../../src/protocol/fees/fee-curve.ts';
import vectors from '../../vectors.json' with { type: 'json' };

const { fees } = vectors;

describe('imbalance penalty', () => {
  it.each(fees.linspace)('divides $start to $stop evenly into $num points', (row) => {
    const steps = BigInt(row.num - 1);
    const points = row.result.map((_, at) => evenStep(BigInt(row.stop), BigInt(at), steps));
    expect(points).toEqual(row.result.map(BigInt));
  });

  it.each(fees.imbalance_penalty)('has its points for $capacity and $ppm ppm', (row) => {
    const points = row.points?.map((point) => point.map(BigInt)) ?? null;
    expect(imbalancePenalty(BigInt(row.capacity), BigInt(row.ppm))).toEqual(points);
  });

  it('is a curve for any capacity, from 0 in the middle up to its full rate at both ends', () => {
    const capacities = fc.oneof(
      fc.bigInt({ min: 1n, max: 100n }),
      fc.bigInt({ min: 1n, max: 2n ** 256n }),
    );
    fc.assert(
      fc.property(capacities, fc.bigInt({ min: 1n, max: 50_000n }), (capacity, ppm) => {
        const curve = imbalancePenalty(capacity, ppm) ?? [];
        expect(isPenaltyCurve(curve)).toBe(true);
        expect([curve[0]?.[0], curve.at(-1)?.[0]]).toEqual([0n, capacity]);
        const exact = (capacity * ppm) / 1_000_000n;
        for (const [, penalty] of curve) {
          expect(penalty >= 0n && penalty <= exact + 1n + exact / 10n ** 12n).toBe(true);
        }
      }),
    );
  });

  it.each([
    [1n, 2],
    [19n, 20],
    [20n, 21],
    [21n, 21],
    [1_000n, 21],
  ])('has for %s tokens %s points, as many as there are balances but at most 21', (...row) => {
    const [capacity, points] = row;
    expect(imbalancePenalty(capacity, 50_000n)).toHaveLength(points);
  });

  it('is none where there is nothing to charge', () => {
    expect(imbalancePenalty(0n, 50_000n)).toBeNull();
    expect(imbalancePenalty(100n, 0n)).toBeNull();
    expect(imbalancePenalty(-1n, 50_000n)).toBeNull();
  });

  it('rounds half to even', () => {
    expect(imbalancePenalty(50n, 50_000n)?.[0]).toEqual([0n, 2n]);
    expect(imbalancePenalty(70n, 50_000n)?.[0]).toEqual([0n, 4n]);
  });

  it('throws on a rate out of its bounds, whatever the capacity', () => {
    for (const capacity of [10n, 0n]) {
      expect(() => imbalancePenalty(capacity, 50_001n)).toThrow(RangeError);
      expect(() => imbalancePenalty(capacity, -1n)).toThrow(RangeError);
    }
  });

  it('knows what is no curve', () => {
    expect(isPenaltyCurve([])).toBe(false);
    expect(isPenaltyCurve([[0n, 1n]])).toBe(false);
    expect(
      isPenaltyCurve([
        [0n, 1n],
        [0n, 2n],
      ]),
    ).toBe(false);
  });
});
