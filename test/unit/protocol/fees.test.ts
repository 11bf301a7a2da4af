import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { imbalancePenalty } from '../../../src/protocol/fees/fee-curve.ts';
import {
  amountWithFees,
  amountWithoutFees,
  type FeeSchedule,
  feePoints,
  flatPerChannel,
  type Mediation,
  proportionalPerChannel,
} from '../../../src/protocol/fees/fees.ts';
import vectors from '../../vectors.json' with { type: 'json' };
import { curveOf, mediationOf, type Numeric, scheduleOf } from './fee-makers.ts';

const { fees } = vectors;
function maybe(value: Numeric | null): bigint | null {
  return value === null ? null : BigInt(value);
}

describe('fee configuration', () => {
  it.each(fees.ppm_per_hop_to_per_channel)('splits $per_hop ppm per mediation', (row) => {
    expect(proportionalPerChannel(BigInt(row.per_hop))).toBe(BigInt(row.per_channel));
  });

  it('splits a flat fee in two equal halves', () => {
    expect([0n, 1n, 2n, 101n].map(flatPerChannel)).toEqual([0n, 0n, 1n, 50n]);
  });
});

describe('what a mediator sends on', () => {
  it.each(fees.forward_flat_proportional)(
    'is $amount_without_fees of $amount_with_fees at flat $flat_per_channel and $prop_per_hop_ppm ppm',
    (row) => {
      const schedule = scheduleOf({
        flat: BigInt(row.flat_per_channel),
        proportional: BigInt(row.prop_per_channel_ppm),
        capFees: row.cap_fees,
      });
      const sent = amountWithoutFees(mediationOf(schedule, row), BigInt(row.amount_with_fees));
      expect(sent).toBe(BigInt(row.amount_without_fees));
    },
  );

  it.each(fees.forward_imbalance)(
    'is $amount_without_fees with a penalty of $imbalance_ppm ppm, capped: $cap_fees',
    (row) => {
      const imbalance = imbalancePenalty(
        BigInt(row.capacity_each_channel),
        BigInt(row.imbalance_ppm),
      );
      const schedule = scheduleOf({ imbalancePenalty: imbalance, capFees: row.cap_fees });
      const sent = amountWithoutFees(mediationOf(schedule, row), BigInt(row.amount_with_fees));
      expect(sent).toBe(BigInt(row.amount_without_fees));
    },
  );

  it('follows the capped fee down to 0 and no further', () => {
    const penalty = curveOf([
      [0, 0],
      [100, 20],
    ]);
    const mediation = mediationOf(
      scheduleOf({}),
      { balance_in: 0, receivable: 1000, balance_out: 100 },
      scheduleOf({ flat: 5n, imbalancePenalty: penalty }),
    );
    const points = feePoints(mediation, { amountWithFees: 5n }) ?? [];
    const corners = points.map(({ amount, fee }) =>
      [amount, fee].map(({ numerator, denominator }) => String(numerator / denominator)),
    );
    const { x, y } = fees.capping_curve;
    expect(corners).toEqual(x.map((at, index) => [at, y[index]]));
  });
});

describe('what a mediator must get', () => {
  it.each(
    fees.backward_imbalance_v_shape.flatMap((row) => [
      { ...row, ...row.in_channel, side: 'in' },
      { ...row, ...row.out_channel, side: 'out' },
    ]),
  )(
    'adds a fee of $fee to $amount_without_fees for the $side channel, capped: $cap_fees',
    ({ side, penalty, fee, cap_fees, amount_without_fees, ...balances }) => {
      const plain = scheduleOf({ capFees: cap_fees });
      const bent = { ...plain, imbalancePenalty: curveOf(penalty) };
      const mediation =
        side === 'in' ? mediationOf(bent, balances, plain) : mediationOf(plain, balances, bent);
      const amount = BigInt(amount_without_fees);
      const total = fee === null ? null : amount + BigInt(fee);
      expect(amountWithFees(mediation, amount)).toBe(total);
    },
  );

  it.each(fees.backward_pfs_estimate)(
    'adds $fee to $amount_without_fees at flat $flat_per_channel and $prop_per_hop_ppm ppm',
    (row) => {
      const schedule = scheduleOf({
        flat: BigInt(row.flat_per_channel),
        proportional: proportionalPerChannel(BigInt(row.prop_per_hop_ppm)),
        imbalancePenalty: curveOf(row.imbalance_penalty),
      });
      const amount = BigInt(row.amount_without_fees);
      expect(amountWithFees(mediationOf(schedule, row), amount)).toBe(amount + BigInt(row.fee));
    },
  );

  it.each(fees.effective_default_proportional)(
    'is $amount_with_fees at $per_channel_ppm ppm per channel',
    (row) => {
      const schedule = scheduleOf({ proportional: BigInt(row.per_channel_ppm) });
      const plenty = {
        balance_in: 0,
        receivable: String(10n ** 24n),
        balance_out: String(10n ** 24n),
      };
      const got = amountWithFees(mediationOf(schedule, plenty), BigInt(row.amount_without_fees));
      expect(got).toBe(BigInt(row.amount_with_fees));
    },
  );
});

describe('both directions', () => {
  it.each(fees.default_schedule_table)(
    'turn $amount at $balance_in/$receivable/$balance_out into $backward_amount_with_fees and $forward_amount_without_fees',
    (row) => {
      const schedule = scheduleOf({
        flat: BigInt(row.flat),
        proportional: BigInt(row.proportional_per_channel),
        imbalancePenalty: imbalancePenalty(BigInt(row.capacity), BigInt(row.imbalance_ppm)),
        capFees: row.cap_fees,
      });
      const mediation = mediationOf(schedule, row);
      const amount = BigInt(row.amount);
      expect(amountWithFees(mediation, amount)).toBe(maybe(row.backward_amount_with_fees));
      expect(amountWithoutFees(mediation, amount)).toBe(maybe(row.forward_amount_without_fees));
    },
  );

  const channel = fc
    .tuple(fc.bigInt({ min: 1_000n, max: 10n ** 24n }), fc.bigInt({ min: 0n, max: 1000n }))
    .map(([capacity, part]) => ({ capacity, balance: (capacity * part) / 1000n }));
  const rates = fc.record({
    flat: fc.bigInt({ min: 0n, max: 100n }),
    proportional: fc.bigInt({ min: 0n, max: 50_000n }),
    imbalance: fc.bigInt({ min: 0n, max: 50_000n }),
  });
  /** A mediator between two channels of any balance, and an amount that its partner could send. */
  function anyMediation(capFees: boolean) {
    return fc
      .tuple(channel, channel, rates, fc.bigInt({ min: 1n, max: 1000n }))
      .map(([into, out, { flat, proportional, imbalance }, part]) => {
        const of = (capacity: bigint): FeeSchedule => ({
          flat,
          proportional,
          imbalancePenalty: imbalancePenalty(capacity, imbalance),
          capFees,
        });
        const receivable = into.capacity - into.balance;
        const mediation: Mediation = {
          scheduleIn: of(into.capacity),
          scheduleOut: of(out.capacity),
          balanceIn: into.balance,
          receivable,
          balanceOut: out.balance,
        };
        return { mediation, amount: ((receivable - 2n) * part) / 1000n };
      });
  }

  it('agree within one unit', () => {
    fc.assert(
      fc.property(fc.boolean().chain(anyMediation), ({ mediation, amount }) => {
        const sent = amountWithoutFees(mediation, amount);
        fc.pre(sent !== null && sent < mediation.balanceOut);
        const got = amountWithFees(mediation, sent ?? 0n) ?? 0n;
        expect(got - amount >= -1n && got - amount <= 1n).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never let a mediator pay while its fees are capped', () => {
    fc.assert(
      fc.property(anyMediation(true), ({ mediation, amount }) => {
        const sent = amountWithoutFees(mediation, amount);
        expect(sent === null || sent <= amount).toBe(true);
        const got = amountWithFees(mediation, amount);
        expect(got === null || got >= amount).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stay within what the channels hold', () => {
    fc.assert(
      fc.property(fc.boolean().chain(anyMediation), ({ mediation, amount }) => {
        const sent = amountWithoutFees(mediation, amount);
        expect(sent === null || (sent > 0n && sent <= mediation.balanceOut)).toBe(true);
        const got = amountWithFees(mediation, amount);
        expect(got === null || (got > 0n && got <= mediation.receivable)).toBe(true);
      }),
    );
  });

  it('are impossible without anything to send or receive, or with unlike caps', () => {
    const free = scheduleOf({});
    for (const balances of [
      { balance_in: 0, receivable: 0, balance_out: 10 },
      { balance_in: 0, receivable: 10, balance_out: 0 },
    ]) {
      expect(amountWithFees(mediationOf(free, balances), 1n)).toBeNull();
      expect(amountWithoutFees(mediationOf(free, balances), 1n)).toBeNull();
      expect(feePoints(mediationOf(free, balances), { amountWithFees: 1n })).toBeNull();
      expect(feePoints(mediationOf(free, balances), { amountWithoutFees: 1n })).toBeNull();
    }
    const balances = { balance_in: 0, receivable: 10, balance_out: 10 };
    const unlike = mediationOf(free, balances, scheduleOf({ capFees: false }));
    expect(amountWithFees(unlike, 1n)).toBeNull();
    expect(amountWithoutFees(mediationOf(free, balances), 11n)).toBeNull();
    expect(amountWithFees(mediationOf(free, balances), 10n)).toBe(10n);
  });

  it('are impossible above what one of the two channels holds', () => {
    const free = scheduleOf({});
    const narrowIn = mediationOf(free, { balance_in: 0, receivable: 10, balance_out: 99 });
    expect([10n, 11n].map((amount) => amountWithoutFees(narrowIn, amount))).toEqual([10n, null]);
    const paying = scheduleOf({
      capFees: false,
      imbalancePenalty: curveOf([
        [0, 50],
        [99, 0],
      ]),
    });
    const balances = { balance_in: 0, receivable: 99, balance_out: 10 };
    const narrowOut = mediationOf(paying, balances, scheduleOf({ capFees: false }));
    expect(amountWithFees(narrowOut, 10n)).not.toBeNull();
    expect(amountWithFees(narrowOut, 11n)).toBeNull();
  });

  it('are impossible where a penalty curve does not reach', () => {
    const short = curveOf([
      [20, 5],
      [80, 0],
    ]);
    const schedule = scheduleOf({ imbalancePenalty: short, capFees: false });
    for (const [balanceIn, balanceOut] of [
      [10, 50],
      [81, 50],
      [50, 19],
      [50, 90],
    ]) {
      const outside = { balance_in: balanceIn ?? 0, receivable: 90, balance_out: balanceOut ?? 0 };
      expect(amountWithFees(mediationOf(schedule, outside), 1n)).toBeNull();
      expect(amountWithoutFees(mediationOf(schedule, outside), 20n)).toBeNull();
    }
    const inside = { balance_in: 20, receivable: 80, balance_out: 80 };
    const mediation = mediationOf(schedule, inside);
    expect(amountWithFees(mediation, 61n)).toBeNull();
    expect(amountWithoutFees(mediation, 61n)).toBeNull();
    expect(amountWithFees(mediation, 30n)).not.toBeNull();
  });
});
