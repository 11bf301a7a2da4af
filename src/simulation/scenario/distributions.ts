/** Random amounts and pauses, the same on every machine (see arithmetic.ts). */
import { larger, smaller } from '../../basics/amount.ts';
import type { Draw } from '../world/randomness.ts';
import { exp, ln } from './numbers/arithmetic.ts';
import type { Distribution } from './schema/network.ts';

/** Returns a function that draws one amount after the other, in the smallest unit, each at least 1. */
export function createAmounts(distribution: Distribution, draw: Draw): () => bigint {
  const amounts = drawAmounts(distribution, draw);
  return () => larger(1n, amounts());
}

function drawAmounts(distribution: Distribution, draw: Draw): () => bigint {
  switch (distribution.kind) {
    case 'constant':
      return () => distribution.amount;
    case 'uniform':
      return () => draw.bigint(distribution.least, distribution.most);
    case 'lognormal': {
      const { median, sigma, most } = distribution;
      const normal = createNormal(draw);
      return () => atMost(most, scaled(median, exp(sigma * normal())));
    }
    case 'pareto': {
      const { least, exponent, most } = distribution;
      return () => atMost(most, scaled(least, exp(exponential(draw) / exponent)));
    }
  }
}

function atMost(most: bigint | null, amount: bigint): bigint {
  return most === null ? amount : smaller(most, amount);
}

const LARGEST_FACTOR = 2 ** 32;

/** amount · factor, rounded down. The factor is limited to 2^32. */
function scaled(amount: bigint, factor: number): bigint {
  // A factor below 1 is kept with more digits after the point.
  const bits = factor < 1 ? 52 : 20;
  const steps = Math.floor(Math.min(factor, LARGEST_FACTOR) * 2 ** bits);
  return (amount * BigInt(steps)) >> BigInt(bits);
}

/**
 * An exponential random number with mean 1: the pause between events of a Poisson process that happen once per unit
 * of time.
 */
export function exponential(draw: Draw): number {
  return -ln(1 - draw.fraction());
}

/** Normal random numbers with mean 0 and deviation 1, by Marsaglia's polar method, which needs no sine. */
export function createNormal(draw: Draw): () => number {
  let spare: number | null = null;
  return () => {
    if (spare !== null) {
      const kept = spare;
      spare = null;
      return kept;
    }
    const { u, v, square } = pointInCircle(draw);
    const factor = Math.sqrt((-2 * ln(square)) / square);
    spare = v * factor;
    return u * factor;
  };
}

function pointInCircle(draw: Draw): { u: number; v: number; square: number } {
  for (;;) {
    const u = 2 * draw.fraction() - 1;
    const v = 2 * draw.fraction() - 1;
    const square = u * u + v * v;
    if (square > 0 && square < 1) return { u, v, square };
  }
}

/** Picks an index of the list as often as its weight says; weights are not negative. Null: all are 0. */
export function createWeightedPick(weights: readonly number[], draw: Draw): () => number | null {
  const sums: number[] = [];
  let total = 0;
  for (const weight of weights) {
    total += weight;
    sums.push(total);
  }
  return () => (total > 0 ? firstAbove(sums, draw.fraction() * total) : null);
}

/** The index of the first sum above `target`; the sums ascend, and the last one is above it. */
function firstAbove(sums: readonly number[], target: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((sums[middle] ?? 0) > target) high = middle;
    else low = middle + 1;
  }
  return low;
}
