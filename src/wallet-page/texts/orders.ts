/** Orders in words: what is being done, and what became of it. */
import { personName, tokenName, wholeAmountText } from '../../page-parts/labels.ts';
import type { Placed, WalletOrder } from '../state/order.ts';

/** An order in words, around its amount in the token's smallest unit; null: it has none. */
type OrderWords = { before: string; units: bigint | null; after: string };

/** `Pay`, the amount, `to bob`. */
export function orderWords(order: WalletOrder): OrderWords {
  const around = (before: string, units: string, after = ''): OrderWords => ({
    ...{ before: `${before} `, units: BigInt(units), after },
  });
  const { kind } = order;
  if (kind === 'pay') {
    const tag = order.identifier === null ? '' : `, identifier ${order.identifier}`;
    return around('Pay', order.amount, ` to ${personName(order.target)}${tag}`);
  }
  const deposit = 'the user deposit';
  if (kind === 'userDeposit') return around('Pay', order.added, ` into ${deposit}`);
  if (kind === 'userDepositPlan') return around('Plan to take', order.amount, ` out of ${deposit}`);
  if (kind === 'userDepositWithdraw') return around('Take', order.amount, ` out of ${deposit}`);
  const channel = `the ${tokenName(order.token)} channel with ${personName(order.partner)}`;
  if (kind === 'open' && order.deposit !== '0')
    return around(`Open ${channel} with`, order.deposit);
  if (kind === 'deposit') return around('Deposit', order.added, ` into ${channel}`);
  if (kind === 'withdraw') return around('Withdraw', order.taken, ` from ${channel}`);
  return { before: `${kind === 'open' ? 'Open' : 'Close'} ${channel}`, units: null, after: '' };
}

/** `Pay 5 TTA to bob`. */
export function orderText(order: WalletOrder): string {
  const { before, units, after } = orderWords(order);
  return before + (units === null ? '' : wholeAmountText(units, order.token)) + after;
}

const STATES: Record<Placed['state'], { mark: string; text: string }> = {
  asking: { mark: '◌', text: 'Under way …' },
  done: { mark: '✓', text: 'Done.' },
  left: { mark: '?', text: 'This page was closed while it was under way: it may be done or not.' },
  pending: { mark: '?', text: 'It may still be done.' },
  not_begun: { mark: '✗', text: 'Not done: nothing has begun.' },
  failed: { mark: '✗', text: 'Not done: it failed, and nothing more will happen.' },
};

export function orderStateText({ state, order }: Placed): { mark: string; text: string } {
  if (state === 'done' && order.kind === 'pay') return { mark: '✓', text: 'Paid.' };
  if (state === 'done' && order.kind === 'close')
    return { mark: '✓', text: 'Closed: it is settled after its timeout, by itself.' };
  return STATES[state];
}
