/** The base fee of a block, and which transactions get into it. */
import { smaller } from '../../basics/amount.ts';
import type { Address } from '../../basics/hex.ts';
import type { Block, Mined } from './blocks.ts';
import type { createPool, Standing } from './pool.ts';
import type { Transaction } from './transaction.ts';

export type Weather = {
  /** Gas that strangers use in each block, and what they pay for it on top of the base fee. */
  others: { gas: bigint; tip: bigint };
  /** The least tip that the makers of blocks accept, in wei per unit of gas. */
  leastTip: bigint;
  /** The tip that endpoints suggest. */
  usualTip: bigint;
  /** The least number of further blocks that a transaction waits, beyond the next one after its arrival. */
  lateBlocks: bigint;
  /** Whether the transaction is left out of this block. */
  isHeldBack: (transaction: Transaction, block: bigint) => boolean;
};
export type Market = Standing & {
  number: bigint;
  baseFee: bigint;
  weather: Weather;
  pool: ReturnType<typeof createPool>;
};

export const CALM: Weather = {
  others: { gas: 0n, tip: 0n },
  leastTip: 0n,
  usualTip: 10n ** 9n,
  lateBlocks: 0n,
  isHeldBack: () => false,
};

/** The next base fee by EIP-1559: an eighth more after a full block, an eighth less after an empty one. */
export function nextBaseFee({ baseFee, gasLimit, gasUsed }: Block): bigint {
  const target = gasLimit / 2n;
  if (gasUsed === target) return baseFee;
  const step = (baseFee * (gasUsed > target ? gasUsed - target : target - gasUsed)) / target / 8n;
  if (gasUsed < target) return baseFee - step;
  return baseFee + (step > 1n ? step : 1n);
}

/**
 * Picks the transactions of the next block: the best paid first, of equally paid ones the first that arrived, those
 * of one account in order of nonce. Each is executed as soon as it is picked.
 */
export function pickFor(market: Market, execute: (transaction: Transaction) => Mined): Mined[] {
  const { pool, nonceOf } = market;
  const mined: Mined[] = [];
  let used = 0n;
  const next = new Map<Address, Transaction>();
  for (const owner of pool.senders()) offer(owner);

  function offer(owner: Address): void {
    const first = pool.at(owner, nonceOf(owner));
    if (first === null || !isWilling(first, market)) next.delete(owner);
    else next.set(owner, first);
  }
  for (;;) {
    const best = bestOf(next.values(), market);
    if (best === null) return mined;
    if (best.gas > roomFor(best, market) - used) {
      next.delete(best.from);
      continue;
    }
    const entry = execute(best);
    used += entry.run.gasUsed;
    mined.push(entry);
    pool.drop(best);
    offer(best.from);
  }
}

function isWilling(transaction: Transaction, market: Market): boolean {
  const { gas, maxFeePerGas, value, from, arrivedBlock } = transaction;
  const { baseFee, weather, number } = market;
  return (
    maxFeePerGas >= baseFee &&
    tipOf(transaction, baseFee) >= weather.leastTip &&
    number > arrivedBlock + weather.lateBlocks &&
    market.weiOf(from) >= gas * maxFeePerGas + value &&
    !weather.isHeldBack(transaction, number)
  );
}

/** What the maker of the block gets for each unit of gas. */
function tipOf({ maxFeePerGas, maxPriorityFeePerGas }: Transaction, baseFee: bigint): bigint {
  return smaller(maxPriorityFeePerGas, maxFeePerGas - baseFee);
}

/** Gas of the block that is open to a transaction: one that pays no more than the strangers comes after them. */
function roomFor(transaction: Transaction, { baseFee, weather, gasLimit }: Market): bigint {
  const { gas, tip } = weather.others;
  if (tipOf(transaction, baseFee) > tip) return gasLimit;
  return gasLimit > gas ? gasLimit - gas : 0n;
}

function bestOf(offers: Iterable<Transaction>, { baseFee }: Market): Transaction | null {
  let best: Transaction | null = null;
  for (const offer of offers) if (best === null || isBetter(offer, best, baseFee)) best = offer;
  return best;
}

function isBetter(one: Transaction, other: Transaction, baseFee: bigint): boolean {
  const [tip, otherTip] = [tipOf(one, baseFee), tipOf(other, baseFee)];
  return tip === otherTip ? one.order < other.order : tip > otherTip;
}
