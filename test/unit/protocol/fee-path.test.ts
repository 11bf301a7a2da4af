import { describe, expect, it } from 'vitest';
import {
  amountToSend,
  estimatePath,
  feeMargin,
  flatPerChannel,
  isFeeAcceptable,
  proportionalPerChannel,
} from '../../../src/protocol/fees/fees.ts';
import vectors from '../../vectors.json' with { type: 'json' };
import { curveOf, mediationOf, scheduleOf } from './fee-makers.ts';

const { fees } = vectors;

describe('a path', () => {
  it.each(fees.backward_two_mediators)(
    'of two mediators with flat $flat_cli and $prop_cli_ppm ppm costs $total_estimated_fee',
    (row) => {
      const schedule = scheduleOf({
        flat: flatPerChannel(BigInt(row.flat_cli)),
        proportional: proportionalPerChannel(BigInt(row.prop_cli_ppm)),
      });
      const plenty = { balance_in: 10_000, receivable: 10_000, balance_out: 10_000 };
      const amount = BigInt(row.target_amount);
      const path = estimatePath(amount, Array(row.mediators).fill(mediationOf(schedule, plenty)));
      expect(path?.estimatedFee).toBe(BigInt(row.total_estimated_fee));
      expect(path?.fees.toReversed()).toEqual(row.fees_last_to_first.map(BigInt));
      expect(amountToSend(amount, path?.estimatedFee ?? 0n)).toBe(BigInt(row.initiator_amount));
    },
  );

  it.each(fees.scenarios)('costs $estimated_fee in $name', (row) => {
    const { flat, prop, imb, cap } = row.schedule;
    const schedule = scheduleOf({
      flat: BigInt(flat),
      proportional: BigInt(prop),
      imbalancePenalty: curveOf(imb),
      capFees: cap,
    });
    const amount = BigInt(row.target_amount);
    const path = estimatePath(amount, Array(row.mediators).fill(mediationOf(schedule, row)));
    expect(path?.estimatedFee).toBe(BigInt(row.estimated_fee));
    expect(path?.fees.toReversed()).toEqual(row.fees_last_to_first.map(BigInt));
    const sent = amountToSend(amount, path?.estimatedFee ?? 0n);
    expect(sent).toBe(BigInt(row.amount_sent_by_initiator));
  });

  it('costs nothing without mediators, and is impossible with one that cannot serve', () => {
    expect(estimatePath(7n, [])).toEqual({ amountWithFees: 7n, fees: [], estimatedFee: 0n });
    const empty = mediationOf(scheduleOf({}), { balance_in: 0, receivable: 0, balance_out: 0 });
    expect(estimatePath(7n, [empty])).toBeNull();
  });
});

describe("the initiator's margin", () => {
  it.each(fees.fee_margin)('is $margin for $amount with a fee of $estimated_fee', (row) => {
    const [amount, fee] = [BigInt(row.amount), BigInt(row.estimated_fee)];
    expect(feeMargin(amount, fee)).toBe(BigInt(row.margin));
    expect(amountToSend(amount, fee)).toBe(BigInt(row.amount_with_fee));
  });

  it.each(fees.max_fee_rule)(
    'makes $amount_with_fee of $amount with a fee of $estimated_fee; accepted: $accepted',
    (row) => {
      const [amount, fee] = [BigInt(row.amount), BigInt(row.estimated_fee)];
      expect(amountToSend(amount, fee)).toBe(BigInt(row.amount_with_fee));
      expect(isFeeAcceptable(amount, amountToSend(amount, fee))).toBe(row.accepted);
      expect(isFeeAcceptable(amount, BigInt(row.limit))).toBe(true);
      expect(isFeeAcceptable(amount, BigInt(row.limit) + 1n)).toBe(false);
    },
  );
});
