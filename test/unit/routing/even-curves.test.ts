import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imbalancePenalty, type PenaltyCurve } from '../../../src/protocol/fees/fee-curve.ts';
import {
  createEvenCurves,
  growCurves,
  keepCurve,
  keptPenalty,
} from '../../../src/routing/even-curves.ts';
import { curveOf, roughPenalty } from '../../../src/routing/tariff.ts';

const EDGE = 5;

/** The curve for a channel of this capacity, as nodes make it; at least two points. */
function usual(capacity: bigint): PenaltyCurve {
  const curve = imbalancePenalty(capacity, 50_000n);
  if (curve === null) throw new Error('a channel with a capacity has a curve');
  return curve;
}

describe('the row of evenly spaced curves', () => {
  it('says of any balance what the curve itself says', () => {
    const capacity = fc.oneof(
      fc.bigInt({ min: 1n, max: 30n }),
      fc.bigInt({ min: 1n, max: 10n ** 26n }),
    );
    fc.assert(
      fc.property(capacity, fc.double({ min: -0.1, max: 1.1, noNaN: true }), (total, share) => {
        const curve = curveOf(usual(total));
        const curves = createEvenCurves(EDGE + 1);
        // What was kept before for the edge, and what its neighbours keep, says nothing.
        for (const edge of [EDGE - 1, EDGE]) keepCurve(curves, edge, curveOf(usual(7n)));
        const steps = keepCurve(curves, EDGE, curve);
        growCurves(curves, 2 * EDGE);
        const { end } = curve;
        for (const balance of [0, end, share * end, (end * Math.round(share * steps)) / steps])
          expect(keptPenalty(curves, EDGE, { steps, end, balance })).toBe(
            roughPenalty(curve, balance),
          );
      }),
    );
  });

  it('keeps no curve that is uneven or has more points than there is room for', () => {
    const curves = createEvenCurves(1);
    const uneven = curveOf([
      [0n, 5n],
      [7n, 0n],
      [10n, 9n],
    ]);
    const long = curveOf(Array.from({ length: 22 }, (_, at) => [BigInt(at), 1n] as const));
    expect(keepCurve(curves, 0, uneven)).toBeLessThan(0);
    expect(keepCurve(curves, 0, long)).toBeLessThan(0);
    expect(keepCurve(curves, 0, null)).toBe(0);
    expect(keepCurve(curves, 0, curveOf(usual(1_000n)))).toBe(20);
  });
});
