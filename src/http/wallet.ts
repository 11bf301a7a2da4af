/**
 * The wallet below `/wallet/`: its page, which holds no secret and needs no token, and what the page wants to know beside
 * the API. All that the page changes it asks of the API.
 */

import { setImmediate } from 'node:timers/promises';
import type { Address } from '../basics/hex.ts';
import type { NodeApi } from '../node/api/api.ts';
import type { OpenTrouble } from '../node/health/check.ts';
import type { PaymentRecord } from '../node/runtime/commits/records.ts';
import { failure, internalError, ok, refuse } from './answers/responses.ts';
import { mountPage } from './built-pages.ts';
import { type ApiContext, grantOf } from './checks/call.ts';
import type { Mount } from './checks/entrance.ts';
import type { Scope } from './checks/tokens.ts';
import { createPlaces } from './queue/places.ts';
import { recordObject } from './shapes/serializers.ts';

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

/**
 * What can go over a channel now, in the smallest unit of its token; nothing over one that takes no payments. `settleBlock`:
 * from which block on a closed one can be settled; null: it is not closed.
 */
export type WalletCapacity = {
  token: Address;
  partner: Address;
  canPay: string;
  canReceive: string;
  settleBlock: string | null;
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
  /** Of all channels that are not settled. */
  capacities: readonly WalletCapacity[];
  troubles: readonly OpenTrouble[];
};
/** What the caller's token allows. `cap`: of one payment, in the smallest unit of its token; null: any. */
export type WalletGrant = { scope: Scope; cap: string | null; perDay: string | null };

/** Never rejects for what the chain's endpoint does. */
export type WalletSource = () => Promise<WalletFacts>;

/** A payment of the history: as the API lists it, and of one that failed also what it was of. */
export type WalletPayment = ReturnType<typeof paymentObject>;
/** `records`: oldest first, from the place `from` of the whole history on. */
export type WalletPayments = { from: number; records: readonly WalletPayment[] };

/** Most payments of one answer. */
const MOST_PAYMENTS = 500;
/** Answers that are put together at a time: they wait for no turn, and read thousands of channels or payments. */
const MOST_AT_ONCE = 32;

type Parts = {
  mount: Mount;
  node: Pick<NodeApi, 'payments' | 'paymentCount' | 'acknowledged'>;
  wallet: WalletSource;
};

export function walletRoutes({ mount, node, wallet }: Parts): void {
  mountPage(mount, 'wallet');
  const places = createPlaces(MOST_AT_ONCE);
  /** A failing wallet must not stop the node: an error here ends this one answer only. */
  const guarded =
    (answer: (c: ApiContext) => Promise<Response>) =>
    async (c: ApiContext): Promise<Response> => {
      const caller = grantOf(c);
      if (!places.take(caller)) return refuse(failure('too_many_calls'));
      try {
        return await answer(c);
      } catch {
        return internalError();
      } finally {
        places.giveBack(caller);
      }
    };
  const factsOf = async (c: ApiContext): Promise<Response> => {
    const { scope, cap, budget } = grantOf(c);
    const perDay = budget === null ? null : `${budget.perDay}`;
    const grant: WalletGrant = { scope, cap: cap === null ? null : `${cap}`, perDay };
    return ok({ ...(await wallet()), ...grant });
  };
  const paymentsOf = async (c: ApiContext): Promise<Response> => {
    const limit = numberIn(c.req.query('limit'));
    if (limit === null || limit > MOST_PAYMENTS)
      return refuse(failure('invalid_shape', 'It needs a limit.'));
    // Without an offset it is about the newest ones.
    const offset = c.req.query('offset') ?? `${Math.max(0, node.paymentCount() - limit)}`;
    const from = numberIn(offset);
    if (from === null) return refuse(failure('invalid_shape', 'The offset is no number.'));
    const found = node.payments({ token: null, partner: null, offset: from, limit });
    if (!found.ok) return refuse(found);
    const records: WalletPayment[] = [];
    for (const rows of found.value) {
      records.push(...rows.map(paymentObject));
      // A slice takes milliseconds, and a long history has hundreds of them.
      await setImmediate();
    }
    const isKnown = (await node.acknowledged()) ?? true;
    const answer: WalletPayments = { from, records };
    return isKnown ? ok(answer) : refuse(failure('replica_unavailable'));
  };
  const read = { method: 'GET', scope: 'read' } as const;
  mount({ ...read, path: '/wallet/facts', atOnce: true }, guarded(factsOf));
  mount({ ...read, path: '/wallet/payments' }, guarded(paymentsOf));
}

const numberIn = (text = ''): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null);

function paymentObject(record: PaymentRecord) {
  const shown = recordObject(record);
  return shown.event === 'EventPaymentSentFailed'
    ? { ...shown, amount: `${record.amount ?? 0n}`, identifier: `${record.paymentId}` }
    : shown;
}
