/** What an order costs in gas, and how long it takes, in words. */
import { groupDigits } from '../../basics/digits.ts';
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

export function gasText(steps: readonly (keyof WalletGas)[], facts: CostFacts): string {
  const gas = steps.reduce((sum, step) => sum + BigInt(facts.gas[step]), 0n);
  const count = steps.length === 1 ? 'one transaction' : `${steps.length} transactions`;
  const text = `at most about ${groupDigits(gas)} gas, ${count}`;
  if (facts.gasPrice === null) return `${text}; the price of gas is not known`;
  return `${text}: ${etherText(gas * BigInt(facts.gasPrice))} at the price of now`;
}

/** Wei with three digits that say something: `0.000312 ETH`. */
export function etherText(wei: bigint): string {
  const digits = wei.toString().padStart(19, '0');
  const [whole, fraction] = [digits.slice(0, -18), digits.slice(-18)];
  const zeros = whole === '0' ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0;
  const shown = fraction.slice(0, whole === '0' ? zeros + 3 : 3).replace(/0+$/, '');
  const grouped = groupDigits(BigInt(whole));
  return shown === '' ? `${grouped} ETH` : `${grouped}.${shown} ETH`;
}

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
