/** What a node charges for mediation, as it was told to: the terms that each channel's schedule follows from. */
import { imbalancePenalty } from './fee-curve.ts';
import { type FeeSchedule, flatPerChannel, proportionalPerChannel } from './fees.ts';

/** Per mediation, as options and documents state it. Amounts in the token's smallest unit. */
export type FeeTerms = {
  flat: bigint;
  /** Parts per million of the mediated amount, 0 to 1,000,000. */
  proportional: bigint;
  /** Parts per million of a channel's capacity in the worst case, 0 to 50,000. */
  imbalance: bigint;
  /** Never pay for being used. */
  capFees: boolean;
};

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
