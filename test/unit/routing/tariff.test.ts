import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  imbalancePenalty,
  type PenaltyCurve,
  penaltyAt,
} from '../../../src/protocol/fees/fee-curve.ts';
import { roughPenalty, slopesAt, tariffOf, tariffSchedule } from '../../../src/routing/tariff.ts';
import { amountsOf, anyLines, ask, everyWay, free, networkOf, weightOf } from './network-makers.ts';

const UNIT = 10n ** 17n;
/** Bent any way, the points anywhere. */
const odd: fc.Arbitrary<PenaltyCurve> = fc
  .uniqueArray(fc.nat(24), { minLength: 2, maxLength: 8 })
  .chain((places) =>
    fc.tuple(
      ...places
        .sort((a, b) => a - b)
        .map((at) =>
          fc.nat(20).map((height) => [BigInt(at) * UNIT, (BigInt(height) * UNIT) / 100n] as const),
        ),
    ),
  );
/** As nodes make them; those of a few units only are bent by rounding. */
const even = fc
  .tuple(fc.constantFrom(7n, 40n, 24n * UNIT), fc.constantFrom(3_000n, 50_000n))
  .map(([capacity, ppm]) => imbalancePenalty(capacity, ppm) ?? []);
const curve = fc.oneof(odd, even);
const share = fc.integer({ min: 0, max: 48 });

function tariffWith(points: PenaltyCurve) {
  const tariff = tariffOf(free({ imbalancePenalty: points }));
  if (tariff?.curve == null) throw new Error('the curve is one');
  return { tariff, curve: tariff.curve };
}

/** A balance between the first point and the last, `at` 48ths of the way. */
function inside(points: PenaltyCurve, at: number): bigint {
  const [from, to] = [points[0]?.[0] ?? 0n, points.at(-1)?.[0] ?? 0n];
  return from + ((to - from) * BigInt(at)) / 48n;
}

describe('the slopes of a penalty', () => {
  it('are exact while it is straight, and never promise more than comes after', () => {
    fc.assert(
      fc.property(curve, share, share, (points, from, to) => {
        const known = tariffWith(points).curve;
        const [start, end] = [Number(inside(points, from)), Number(inside(points, to))];
        const { fall, fallStraight, rise, riseStraight } = slopesAt(known, start);
        const size = Math.abs(end - start);
        if (size === 0) return;
        const [slope, straight] = end < start ? [fall, fallStraight] : [rise, riseStraight];
        const change = roughPenalty(known, end) - roughPenalty(known, start);
        const rounding = 1e-9 * known.end;
        expect(slope * size).toBeLessThanOrEqual(change + rounding);
        if (size <= straight) expect(Math.abs(slope * size - change)).toBeLessThan(rounding);
      }),
      { numRuns: 2_000 },
    );
  });

  it('say nothing beside the curve', () => {
    const { curve: known } = tariffWith([
      [10n, 1n],
      [20n, 3n],
    ]);
    for (const balance of [9, 21]) {
      const { fall, rise } = slopesAt(known, balance);
      expect([fall, rise]).toEqual([Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    }
  });
});

describe('a part of a curve', () => {
  it('says of every balance in its range what all of it says', () => {
    fc.assert(
      fc.property(curve, share, share, share, (points, one, two, three) => {
        const [low = 0, middle = 0, high = 0] = [one, two, three].sort((a, b) => a - b);
        const range = [inside(points, low), inside(points, high)] as const;
        const part = tariffSchedule(tariffWith(points).tariff, range).imbalancePenalty;
        const balance = inside(points, middle);
        expect(penaltyAt(part, balance)).toEqual(penaltyAt(points, balance));
      }),
      { numRuns: 2_000 },
    );
  });

  it('says nothing where all of it says nothing', () => {
    fc.assert(
      fc.property(curve, share, (points, at) => {
        const beyond = (points.at(-1)?.[0] ?? 0n) + 1n;
        const part = tariffSchedule(tariffWith(points).tariff, [inside(points, at), beyond]);
        expect(penaltyAt(part.imbalancePenalty, beyond)).toBeNull();
      }),
    );
  });
});

it('leads over the cheapest path, however the curves are bent', () => {
  const amount = fc.bigInt({ min: 0n, max: 24n }).map((tenths) => tenths * UNIT);
  const schedule = fc
    .tuple(odd, fc.constantFrom(0n, 20_000n))
    .map(([imbalancePenalty, proportional]) => free({ imbalancePenalty, proportional }));
  const end = fc.record({ capacity: amount, schedule }, { requiredKeys: ['capacity'] });
  const value = fc.constantFrom(1n, UNIT / 2n, UNIT, 3n * UNIT);
  fc.assert(
    fc.property(anyLines(6, end), value, (lines, wanted) => {
      const [first] = networkOf(lines).paths(ask({ value: wanted, maxPaths: 1 }));
      const good = everyWay(lines, 0, 1).filter(
        (hops) => hops.every(({ from }) => from.capacity >= wanted) && amountsOf(hops, wanted),
      );
      const best = good.toSorted((a, b) => weightOf(a, wanted) - weightOf(b, wanted))[0];
      const exact = best === undefined ? undefined : amountsOf(best, wanted)?.[0];
      const cheapest = good.filter(
        (hops) => best && weightOf(hops, wanted) - weightOf(best, wanted) < 1e-6,
      );
      expect(first === undefined).toBe(exact === undefined);
      if (first === undefined) return;
      const sent = cheapest.map((hops) => amountsOf(hops, wanted)?.[0]);
      expect(sent).toContain(wanted + first.estimatedFee);
    }),
    { numRuns: 300 },
  );
});

describe('a tariff', () => {
  const points: PenaltyCurve = [
    [0n, 9n],
    [10n, 0n],
  ];

  it('is made once of a schedule that is frozen, for all networks that are told it', () => {
    const schedule = Object.freeze(free({ imbalancePenalty: points }));
    expect(tariffOf(schedule)).toBe(tariffOf(schedule));
  });

  it('follows a schedule that is changed', () => {
    const schedule = { ...free({ imbalancePenalty: points }), flat: 1n };
    expect(tariffOf(schedule)?.flat).toBe(1n);
    schedule.flat = 2n;
    expect(tariffOf(schedule)?.flat).toBe(2n);
  });
});
