import { describe, expect, it } from 'vitest';
import type { Address } from '../../../src/basics/hex.ts';
import { createCustomers } from '../../../src/node/chain/gas/customers.ts';
import type { ForcedRow } from '../../../src/store/base/batch.ts';
import { PARTNER, STRANGER } from '../../support/makers.ts';

const WEEK = 50_400n;

function customers(rows: readonly ForcedRow[] = []) {
  const at = { block: 10_000n };
  const { placesOf, ...others } = createCustomers({ rows, nowBlock: () => at.block });
  /** The places of both, of a hundred. */
  const places = () => [placesOf(PARTNER, 100), placesOf(STRANGER, 100)];
  return { at, placesOf, ...others, places };
}
const key = (n: number): Address => `0x${n.toString(16).padStart(40, '0')}`;

describe('who has brought fees', () => {
  it('has all the places that customers share, and who has brought none has none', () => {
    const { noteBrought, places } = customers();
    noteBrought(PARTNER, 1_000n);
    noteBrought(STRANGER, 0n);
    noteBrought(STRANGER, -5n);
    expect(places()).toEqual([100, 0]);
  });

  it('has one place, and as much of the others as its part of all that was brought, in however many fees', () => {
    const { noteBrought, places } = customers();
    noteBrought(PARTNER, 3_000n);
    for (let n = 0; n < 1_000; n++) noteBrought(STRANGER, 2n);
    expect(places()).toEqual([1 + 58, 1 + 39]);
    for (let n = 0; n < 1_000; n++) noteBrought(STRANGER, 3n);
    expect(places()).toEqual([1 + 36, 1 + 61]);
  });

  it.each([1, 2, 15, 100])(
    'keeps one of %d places when somebody else has brought a million times as much',
    (places) => {
      const { noteBrought, placesOf } = customers();
      noteBrought(PARTNER, 1_000n);
      if (places > 2) noteBrought(STRANGER, 10n ** 9n);
      expect(placesOf(PARTNER, places)).toBeGreaterThanOrEqual(1);
    },
  );

  it('is left without a place only by as many as half of the places, each of which has brought more', () => {
    const { noteBrought, placesOf } = customers();
    noteBrought(PARTNER, 1_000n);
    for (let n = 1; n <= 50; n++) noteBrought(key(n), 999n);
    expect(placesOf(PARTNER, 100)).toBe(1 + Math.floor(50 * (1_000 / 50_950)));
    for (let n = 1; n <= 49; n++) noteBrought(key(n), 10n ** 6n);
    expect(placesOf(PARTNER, 100)).toBe(1);
    noteBrought(key(50), 10n ** 6n);
    expect(placesOf(PARTNER, 100)).toBe(0);
  });

  it('has no more places with all others than there are', () => {
    const { noteBrought, placesOf } = customers();
    for (let n = 1; n <= 200; n++) noteBrought(key(n), n > 10 ? 7n : 10_000n);
    const all = Array.from({ length: 200 }, (_, n) => placesOf(key(n + 1), 30));
    const sum = all.reduce((one, other) => one + other);
    expect([sum <= 30, all.filter((places) => places > 0).length]).toEqual([true, 15]);
  });

  it('is forgotten by and by, half of it in a week', () => {
    const { at, noteBrought, places, areAny } = customers();
    expect(areAny()).toBe(false);
    noteBrought(PARTNER, 2_000n);
    expect(areAny()).toBe(true);
    at.block += WEEK;
    noteBrought(STRANGER, 999n);
    expect(places()).toEqual([1 + 49, 1 + 48]);
    at.block += 10n * WEEK;
    expect([...places(), areAny()]).toEqual([0, 0, false]);
  });

  it('is known after a restart by the newest row, of which there are few', () => {
    const { at, noteBrought, places } = customers();
    noteBrought(STRANGER, 50_000n);
    const first = noteBrought(STRANGER, 50_000n);
    const rows = Array.from({ length: 1_000 }, () => noteBrought(PARTNER, 1_000n)).flat();
    expect(rows.length).toBeLessThan(100);
    expect(places()).toEqual([1 + 89, 1 + 8]);
    const after = customers([...first, ...rows.slice(-1)]);
    after.at.block = at.block;
    expect(after.places()).toEqual([1 + 88, 1 + 9]);
  });
});
