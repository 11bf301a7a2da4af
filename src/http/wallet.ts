/**
 * The wallet below `/wallet/`: its page, which holds no secret and needs no token, and what the page wants to know beside
 * the API. All that the page changes it asks of the API.
 */

import type { Address } from '../basics/hex.ts';
import type { OpenTrouble } from '../node/health/check.ts';
import { internalError, ok } from './answers/responses.ts';
import { mountPage } from './built-pages.ts';
import { grantOf } from './checks/call.ts';
import type { Mount } from './checks/entrance.ts';
import type { Scope } from './checks/tokens.ts';

/** What one transaction of a kind takes at most, as a rule. */
export type WalletGas = Record<
  | 'approve'
  | 'openChannel'
  | 'deposit'
  | 'withdraw'
  | 'close'
  | 'settle'
  | 'userDeposit'
  | 'userDepositPlan'
  | 'userDepositWithdraw',
  string
>;

/** `isRegistered`: whether there can be channels of it. `onChain`: what the node's account holds outside of channels; null: not known. */
export type WalletToken = {
  address: Address;
  symbol: string;
  decimals: number;
  isRegistered: boolean;
  onChain: string | null;
};

/** Amounts in the token's smallest unit, as decimal text. `withdrawBlock`: from which block on what is planned can be taken. */
export type WalletDeposit = {
  token: Address;
  balance: string;
  totalDeposit: string;
  planned: string;
  withdrawBlock: string;
  withdrawDelay: string;
  ownTokens: string;
};

/** Null where the chain's endpoint did not tell. `blockSeconds`: what a block took of late. */
export type WalletFacts = {
  address: Address;
  chainId: string;
  block: string;
  blockSeconds: number | null;
  confirmations: string;
  settleTimeout: string;
  revealTimeout: string;
  wei: string | null;
  gasPrice: string | null;
  gas: WalletGas;
  tokens: readonly WalletToken[];
  names: readonly { address: Address; name: string }[];
  explorer?: string;
  /** Null: the node has no user deposit, or the chain did not tell. */
  userDeposit: WalletDeposit | null;
  troubles: readonly OpenTrouble[];
};
/** What the caller's token allows. `cap`: of one payment, in the smallest unit of its token; null: any. */
export type WalletGrant = { scope: Scope; cap: string | null; perDay: string | null };

/** Never rejects for what the chain's endpoint does. */
export type WalletSource = () => Promise<WalletFacts>;

export function walletRoutes({ mount, wallet }: { mount: Mount; wallet: WalletSource }): void {
  mountPage(mount, 'wallet');
  mount({ method: 'GET', path: '/wallet/facts', scope: 'read', atOnce: true }, async (c) => {
    const { scope, cap, budget } = grantOf(c);
    const perDay = budget === null ? null : `${budget.perDay}`;
    const grant: WalletGrant = { scope, cap: cap === null ? null : `${cap}`, perDay };
    try {
      return ok({ ...(await wallet()), ...grant });
    } catch {
      // A failing wallet must not stop the node: an error here ends this one answer only.
      return internalError();
    }
  });
}
