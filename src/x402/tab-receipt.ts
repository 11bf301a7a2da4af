/** What the seller says of a call on a tab. */
import type { SettleResponse } from '@x402/core/types';
import type { TabReceipt } from './headers.ts';

/** A call that draws from a tab. */
export type CallOnTab = {
  /** The secrethash of the payment that opened it. */
  tab: string;
  payer: string;
  /** What is set aside for it, in the token's smallest unit. */
  price: bigint;
  /** Ends it with what it came to, of what was set aside at most; answers that. Once. */
  charge(amount: bigint): bigint;
  standing(): TabReceipt;
};

/** `amount`: what the call came to; null: that is not known yet. */
export function tabReceipt(
  { tab: transaction, payer, standing }: CallOnTab,
  network: SettleResponse['network'],
  amount: bigint | null,
): SettleResponse {
  const { total, left, lumps } = standing();
  const tab = { total: `${total}`, left: `${left}`, lumps };
  const receipt = { success: true, transaction, network, payer, tab };
  return amount === null ? receipt : { ...receipt, amount: `${amount}` };
}
