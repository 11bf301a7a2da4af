/** What a transaction offers for its gas. All prices in wei per unit of gas. */
import type { ChainClient } from './client.ts';

export type Fees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };
/** The newest block, and what transactions pay at it. */
export type Market = { headBlock: bigint; baseFee: bigint; tip: bigint };

/** The endpoint's word for the usual tip is taken up to here: the rest would be its own to spend. */
const HIGHEST_TIP = 500n * 10n ** 9n;
const CEILING = 10n;

export async function readMarket(client: ChainClient): Promise<Market> {
  const [block, tip] = await Promise.all([
    client.getBlock(),
    client.estimateMaxPriorityFeePerGas(),
  ]);
  return {
    headBlock: block.number,
    baseFee: block.baseFeePerGas ?? 0n,
    tip: tip < HIGHEST_TIP ? tip : HIGHEST_TIP,
  };
}

/** Good for a base fee that doubles; an urgent one for one that triples, and with twice the usual tip. */
export function firstFees({ baseFee, tip }: Market, isUrgent: boolean): Fees {
  const maxPriorityFeePerGas = isUrgent ? 2n * tip : tip;
  const maxFeePerGas = (isUrgent ? 3n : 2n) * baseFee + maxPriorityFeePerGas;
  return { maxFeePerGas, maxPriorityFeePerGas };
}

/** At least an eighth above the old ones, which every pool takes as a replacement, or today's. */
export function bumpedFees(old: Fees, market: Market, isUrgent: boolean): Fees {
  const fresh = firstFees(market, isUrgent);
  return {
    maxFeePerGas: larger(eighthMore(old.maxFeePerGas), fresh.maxFeePerGas),
    maxPriorityFeePerGas: larger(eighthMore(old.maxPriorityFeePerGas), fresh.maxPriorityFeePerGas),
  };
}

/** Whether raising the price further is no longer reasonable for a transaction that can wait. */
export function isTooDear(fees: Fees, market: Market): boolean {
  return fees.maxFeePerGas > CEILING * firstFees(market, false).maxFeePerGas;
}

function eighthMore(price: bigint): bigint {
  return price + price / 8n + 1n;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
