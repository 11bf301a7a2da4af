/**
 * What a node charges for mediation, as its operator has configured it: the terms from which each channel's fee
 * schedule follows.
 */
import * as v from 'valibot';
import type { Address } from '../../basics/hex.ts';
import { uint } from '../shapes.ts';
import { imbalancePenalty } from './fee-curve.ts';
import { type FeeSchedule, flatPerChannel, proportionalPerChannel } from './fees.ts';

/** Per mediation, as options and documents state it. Amounts in the token's smallest unit. */
export const feeTerms = v.object({
  flat: uint,
  /** Parts per million of the mediated amount, 0 to 1,000,000. */
  proportional: uint,
  /** Parts per million of a channel's capacity in the worst case, 0 to 50,000. */
  imbalance: uint,
  /** True: a fee is never negative, so that this node never pays for a transfer. */
  capFees: v.boolean(),
});
export type FeeTerms = v.InferOutput<typeof feeTerms>;

/**
 * Flat fees that hold unless others are chosen: 10^-6 DAI and 10^-8 wrapped ether, by their addresses on the
 * main network. Source: the API document, limits.
 */
export const DEFAULT_FLAT_FEES: ReadonlyMap<Address, bigint> = new Map([
  ['0x6B175474E89094C44Da98b954EedeAC495271d0F', 10n ** 12n],
  ['0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', 10n ** 10n],
]);

/** 0.4 % for the whole mediation, up to 0.3 % for imbalance. Source: the API document, limits. */
export const DEFAULT_FEE_TERMS: FeeTerms = {
  flat: 0n,
  proportional: 4_000n,
  imbalance: 3_000n,
  capFees: true,
};

/** The schedule of one channel; `capacity`: deposits less withdraws of both sides. Protocol section 6.1. */
export function scheduleOf(terms: FeeTerms, capacity: bigint): FeeSchedule {
  return {
    flat: flatPerChannel(terms.flat),
    proportional: proportionalPerChannel(terms.proportional),
    imbalancePenalty: imbalancePenalty(capacity, terms.imbalance),
    capFees: terms.capFees,
  };
}
