/** What a transaction offers for its gas. All prices in wei per unit of gas. */
import { larger } from '../../basics/amount.ts';
import type { Hash } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
export const NO_FEES: Fees = { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n };
export type Prices = { baseFee: bigint; tip: bigint };
/** The newest block, what transactions pay at it, and the gas that a block of its kind holds. */
export type Market = Prices & { headBlock: bigint; headHash: Hash; blockGas: bigint };

/** Highest tip that is believed to be usual: otherwise an endpoint could make this account spend any amount. */
const HIGHEST_TIP = 500n * 10n ** 9n;
const CEILING = 10n;

export async function readMarket(client: ChainClient): Promise<Market> {
  const [block, tip] = await Promise.all([
    client.getBlock(),
    client.estimateMaxPriorityFeePerGas(),
  ]);
  return {
    headBlock: block.number,
    headHash: block.hash,
    blockGas: block.gasLimit,
    baseFee: block.baseFeePerGas ?? 0n,
    tip: tip < HIGHEST_TIP ? tip : HIGHEST_TIP,
  };
}

/**
 * Fees that suffice until the base fee has doubled; those of an urgent transaction until it has tripled, and with
 * twice the usual tip.
 */
export function firstFees({ baseFee, tip }: Prices, isUrgent: boolean): Fees {
  const maxPriorityFeePerGas = isUrgent ? 2n * tip : tip;
  const maxFeePerGas = (isUrgent ? 3n : 2n) * baseFee + maxPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/** The fees of a replacement: at least an eighth above the old ones, which every pool accepts, or today's. */
export const bumpedFees = (old: Fees, market: Prices, isUrgent: boolean): Fees =>
  atLeast(eighthMore(old), firstFees(market, isUrgent));

export function atLeast(least: Fees, wanted: Fees): Fees {
  return {
    maxFeePerGas: larger(least.maxFeePerGas, wanted.maxFeePerGas),
    maxPriorityFeePerGas: larger(least.maxPriorityFeePerGas, wanted.maxPriorityFeePerGas),
  };
}

/**
 * What can be offered with so many wei for each unit of gas: less than wanted, if blocks may take it, and in the place of what
 * is replaced; or all of it, if it would not suffice to be raised once more. What is said of usual tips does not decide that: a few
 * transactions of others can raise them.
 */
export function withinWei(wei: bigint, wanted: Fees, least: Fees, { baseFee }: Prices): Fees {
  const isEnough = wei > 0n && wei >= larger(least.maxFeePerGas, baseFee);
  if (!isEnough || wei >= eighthMore(wanted).maxFeePerGas) return wanted;
  const { maxPriorityFeePerGas: most } = wanted;
  return { maxFeePerGas: wei, maxPriorityFeePerGas: most < wei ? most : wei };
}

/** Whether raising the price further is no longer reasonable for a transaction that can wait. */
export function isTooDear(fees: Fees, market: Prices): boolean {
  return fees.maxFeePerGas > CEILING * firstFees(market, false).maxFeePerGas;
}

/** The least that every pool takes in the place of another. */
export function eighthMore({ maxFeePerGas, maxPriorityFeePerGas }: Fees): Fees {
  const more = (price: bigint) => price + price / 8n + 1n;
  return {
    maxFeePerGas: more(maxFeePerGas),
    maxPriorityFeePerGas: more(maxPriorityFeePerGas),
  };
}
