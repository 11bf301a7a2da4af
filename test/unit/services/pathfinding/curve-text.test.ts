/** How a penalty curve stands in the database of the path-finding service. */
import { describe, expect, it } from 'vitest';
import { imbalancePenalty, type PenaltyCurve } from '../../../../src/protocol/fees/fee-curve.ts';
import { curveOf } from '../../../../src/routing/tariff.ts';
import { curveIn, curveText } from '../../../../src/services/pathfinding/curve-text.ts';

const made = (capacity: bigint): PenaltyCurve => imbalancePenalty(capacity, 3_000n) ?? [];
const BEYOND_DOUBLES = 2n ** 53n + 1n;

describe('a curve in the database', () => {
  it.each<[string, PenaltyCurve]>([
    ['as nodes make them', made(600_057_033_000_000_000_000n)],
    ['of a tiny channel', made(3n)],
    [
      'with penalties below zero',
      [
        [0n, -5n],
        [10n, 5n],
      ],
    ],
    [
      'that is uneven',
      [
        [0n, 7n],
        [1n, 2n],
        [10n, 5n],
      ],
    ],
    [
      'that does not begin at zero',
      [
        [4n, 7n],
        [10n, 5n],
      ],
    ],
    [
      'with a penalty that no double holds',
      [
        [0n, BEYOND_DOUBLES],
        [10n, 5n],
      ],
    ],
  ])('is the same when it is read again: %s', (_, curve) => {
    expect(curveIn(curveText(curve) ?? '')).toEqual(curveOf(curve));
  });

  it('is written short when it is even', () => {
    expect(
      curveText([
        [0n, 8n],
        [5n, 0n],
        [10n, 8n],
      ]),
    ).toBe('10/8,0,8');
  });

  it('is read as older versions have written it', () => {
    const curve = made(10n ** 18n);
    const text = curve.map((point) => point.join(':')).join(',');
    expect(curveIn(text)).toEqual(curveOf(curve));
  });

  it('is none where nothing is charged', () => {
    expect(curveText(null)).toBeNull();
  });

  it('is left out when it was none in an older version', () => {
    expect(curveIn('5:1,5:2')).toBeNull();
  });
});
