/** Orders with what they cost and how long they take, ready to be confirmed. */
import { type ComponentChildren, createElement } from 'preact';
import { newKey } from '../../client/insist.ts';
import { GasCost } from '../base/figures.tsx';
import type { WalletOrder } from '../state/order.ts';
import type { WalletNode } from '../state/wallet.ts';
import { ORDER_TRANSACTIONS, untilConfirmed, untilSettled } from '../texts/costs.ts';
import type { Intent } from './confirm.tsx';

const FEES =
  'no gas; nodes on the way take fees on top, at most a fifth of the amount, and a partner takes none';

/** `key`: absent: one is drawn. */
export function payIntent(
  order: Extract<WalletOrder, { kind: 'pay' }>,
  { key = newKey(), warning = null }: { key?: string; warning?: ComponentChildren } = {},
): Intent {
  const time = 'a second or two when everybody on the way is there';
  return { order, key, verb: 'Pay', address: order.target, cost: FEES, time, warning };
}

type OnChain = Exclude<WalletOrder, { kind: 'pay' }>;

/** `settleTimeout`: of a channel that is to be closed. */
export function chainIntent(order: OnChain, facts: WalletNode, settleTimeout = 0n): Intent {
  const steps =
    order.kind === 'open' && order.deposit !== '0'
      ? ORDER_TRANSACTIONS.openWithDeposit
      : ORDER_TRANSACTIONS[order.kind];
  const time =
    order.kind === 'close'
      ? `${untilSettled(settleTimeout, facts)}; then the tokens are on chain`
      : untilConfirmed(facts, steps.length);
  return {
    order,
    key: newKey(),
    verb: VERBS[order.kind],
    address: 'partner' in order ? order.partner : null,
    cost: createElement(GasCost, { steps, facts }),
    time,
    warning: WARNINGS[order.kind] ?? null,
  };
}

const VERBS: Record<OnChain['kind'], string> = {
  open: 'Open',
  deposit: 'Deposit',
  withdraw: 'Withdraw',
  close: 'Close',
  userDeposit: 'Deposit',
  userDepositPlan: 'Plan',
  userDepositWithdraw: 'Take out',
};
const WARNINGS: Partial<Record<OnChain['kind'], string>> = {
  close:
    'Nobody can pay over the channel any more, and it cannot be opened again before it is settled.',
  withdraw: 'Your partner has to be there, and to agree.',
};
