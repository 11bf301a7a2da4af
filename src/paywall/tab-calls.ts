/** Calls of the paywall that draw from a tab: no node, no chain and no broker is asked on their way. */
import type { Log } from '../basics/environment.ts';
import type { Address } from '../basics/hex.ts';
import type { BookReplica } from '../tabs/book.ts';
import { openSellerTabs, type SellerTabs, termsOf } from '../tabs/seller-tabs.ts';
import type { Drawing } from '../tabs/tabs.ts';
import type { NodeFacilitator } from '../x402/facilitator.ts';
import { tabReceipt } from '../x402/tab-receipt.ts';
import type { TabTerms } from './rules.ts';
import type { Seller } from './seller.ts';
import type { Paying } from './serve.ts';

export type TabConfig = {
  /** The database of the tabs. */
  file: string;
  terms: ReadonlyMap<Address, TabTerms>;
  idleSeconds: number;
  /** By which an operator says that they are in a stream no more. */
  leaveStream?: string | null;
};
type Parts = {
  seller: Seller;
  /** The seller's node, and a token of it that may pay. */
  node: string;
  token: string | null;
  fetch?: typeof fetch;
  facilitator: NodeFacilitator;
  /** Where the tabs are besides the disk. */
  copy?: BookReplica | null;
  log: Log;
};

/** Throws with what a person can do. */
export function openTabCalls(config: TabConfig, parts: Parts): SellerTabs {
  const { decimals } = parts.seller;
  const terms = new Map(
    [...config.terms.values()].map(({ least, most, token }) => {
      const found = termsOf(least, most, decimals.get(token) ?? 0);
      if (found !== null) return [token, found];
      throw new Error(`--tab: no tab has from ${least} to ${most} of the token ${token}`);
    }),
  );
  return openSellerTabs({ ...config, ...parts, terms });
}

/** A call that its tab pays for. */
export function onTab(
  drawing: Drawing,
  { token, seller: { network } }: { token: Address; seller: Seller },
): Paying {
  const { tab, payer, price } = drawing;
  const charge = (cost: bigint) => {
    const amount = drawing.charge(cost);
    const { left } = drawing.standing();
    return { amount, left, receipt: tabReceipt(drawing, network, amount) };
  };
  return {
    ...{ token, payer, amount: price, secretHash: tab },
    announced: () => tabReceipt(drawing, network, null),
    charge,
    giveBack: () => charge(0n).receipt,
  };
}
