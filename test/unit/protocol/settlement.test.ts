import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_UINT256 } from '../../../src/basics/amount.ts';
import {
  isSettleOrder,
  type SettledSide,
  settle,
} from '../../../src/protocol/channel/settlement.ts';
import vectors from '../../vectors.json' with { type: 'json' };

type Row = { deposit: string; withdrawn: string; transferred: string; locked: string };

function sideOf(row: Row): SettledSide {
  return {
    deposit: BigInt(row.deposit),
    withdrawn: BigInt(row.withdrawn),
    transferred: BigInt(row.transferred),
    locked: BigInt(row.locked),
  };
}

const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 100n }),
  fc.bigInt({ min: MAX_UINT256 - 100n, max: MAX_UINT256 }),
  fc.bigInt({ min: 0n, max: MAX_UINT256 }),
);

/** Two sides in the order of settlement, which together did not withdraw more than they deposited. */
const sides = fc
  .tuple(amount, amount, amount, amount, amount, fc.nat({ max: 100 }))
  .map(([total, transferred1, locked1, transferred2, locked2, cut]) => {
    const one = {
      deposit: (total * BigInt(cut)) / 100n,
      transferred: transferred1,
      locked: locked1,
    };
    const two = { deposit: total - one.deposit, transferred: transferred2, locked: locked2 };
    return isSettleOrder(one, two) ? [one, two] : [two, one];
  })
  .chain(([one, two]) => {
    const total = (one?.deposit ?? 0n) + (two?.deposit ?? 0n);
    return fc.tuple(fc.bigInt({ min: 0n, max: total }), fc.nat({ max: 100 })).map(([out, cut]) => {
      const withdrawn = (out * BigInt(cut)) / 100n;
      const none = { deposit: 0n, transferred: 0n, locked: 0n };
      return {
        total: total - out,
        one: { ...(one ?? none), withdrawn },
        two: { ...(two ?? none), withdrawn: out - withdrawn },
      };
    });
  });

describe('settlement', () => {
  it.each(vectors.settlement.cases)('pays as the contract in "$group" ($settle)', (row) => {
    const paid = settle(sideOf(row.participant1), sideOf(row.participant2));
    expect(paid).toEqual({
      amount1: BigInt(row.settle.participant1_amount),
      amount2: BigInt(row.settle.participant2_amount),
      locked1: BigInt(row.settle.participant1_locked),
      locked2: BigInt(row.settle.participant2_locked),
    });
  });

  it('pays out all that the channel holds, never less and never more', () => {
    fc.assert(
      fc.property(sides, ({ one, two, total }) => {
        const paid = settle(one, two);
        const { amount1, amount2, locked1, locked2 } = paid;
        expect(amount1 + amount2 + locked1 + locked2).toBe(total);
        for (const share of Object.values(paid)) expect(share >= 0n).toBe(true);
        expect(locked1 <= one.locked && locked2 <= two.locked).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives both sides of a well-kept channel their balances', () => {
    const one = { deposit: 100n, withdrawn: 10n, transferred: 30n, locked: 5n };
    const two = { deposit: 50n, withdrawn: 0n, transferred: 40n, locked: 7n };
    expect(settle(one, two)).toEqual({ amount1: 95n, amount2: 33n, locked1: 5n, locked2: 7n });
  });

  it('wants the side that moved more as the second, with sums that saturate', () => {
    const little = { deposit: 10n, withdrawn: 0n, transferred: 0n, locked: 4n };
    const full = { deposit: 10n, withdrawn: 0n, transferred: MAX_UINT256 - 3n, locked: 4n };
    expect(isSettleOrder(little, full)).toBe(true);
    expect(isSettleOrder(full, little)).toBe(false);
    expect(isSettleOrder(full, { ...full, locked: 3n })).toBe(true);
    expect(() => settle(full, little)).toThrow(RangeError);
  });

  it('throws when more was withdrawn than deposited, which no contract allows', () => {
    const side = { deposit: 1n, withdrawn: 2n, transferred: 0n, locked: 0n };
    expect(() => settle(side, { ...side, withdrawn: 1n })).toThrow(RangeError);
  });
});
