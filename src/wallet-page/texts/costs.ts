/** What an order costs in gas, and how long it takes, in words. */
import { groupDigits, inTokens } from '../../basics/digits.ts';
import type { WalletFacts, WalletGas } from '../../http/wallet.ts';
import { durationText } from '../../page-parts/time-left.ts';

export type CostFacts = Pick<
  WalletFacts,
  'gas' | 'gasPrice' | 'blockSeconds' | 'confirmations' | 'settleTimeout'
>;

/** The transactions that this node sends for each kind of order. */
export const ORDER_TRANSACTIONS = {
  open: ['openChannel'],
  openWithDeposit: ['approve', 'openChannel'],
  deposit: ['approve', 'deposit'],
  withdraw: ['withdraw'],
  close: ['close', 'settle'],
  userDeposit: ['approve', 'userDeposit'],
  userDepositPlan: ['userDepositPlan'],
  userDepositWithdraw: ['userDepositWithdraw'],
} as const satisfies Record<string, readonly (keyof WalletGas)[]>;

/** `wei`: null: the price of gas is not known. */
export function gasOf(
  steps: readonly (keyof WalletGas)[],
  { gas, gasPrice }: CostFacts,
): { units: bigint; wei: bigint | null; text: string } {
  const units = steps.reduce((sum, step) => sum + BigInt(gas[step]), 0n);
  const count = steps.length === 1 ? 'one transaction' : `${steps.length} transactions`;
  return {
    units,
    wei: gasPrice === null ? null : units * BigInt(gasPrice),
    text: `at most about ${groupDigits(units)} gas, ${count}`,
  };
}

/** Wei in ether, cut as amounts of tokens are: `0.0003128… ETH`. */
export const etherText = (wei: bigint): string => `${inTokens(wei, 18)} ETH`;

/** So many blocks, and how long that is when blocks go on as they did of late. */
export function blocksText(blocks: bigint, blockSeconds: number | null): string {
  const count = `${groupDigits(blocks)} ${blocks === 1n ? 'block' : 'blocks'}`;
  return blockSeconds === null
    ? count
    : `about ${durationText(Number(blocks) * blockSeconds)} (${count})`;
}

/** Until a transaction counts: it is mined in the next blocks, and confirmed by the ones after it. */
export function untilConfirmed(facts: CostFacts, transactions: number): string {
  const blocks = (BigInt(facts.confirmations) + 1n) * BigInt(transactions);
  return blocksText(blocks, facts.blockSeconds);
}

/** `settleTimeout`: of the channel, in blocks. */
export function untilSettled(settleTimeout: bigint, facts: CostFacts): string {
  const blocks = settleTimeout + 2n * (BigInt(facts.confirmations) + 1n);
  return blocksText(blocks, facts.blockSeconds);
}
