/** Orders in words: what is being done, and what became of it. */
import { personName, tokenName, wholeAmountText } from '../../page-parts/labels.ts';
import type { Placed, WalletOrder } from '../state/order.ts';

/** `5 TTA to bob`. */
export function orderText(order: WalletOrder): string {
  const amount = (units: string) => wholeAmountText(BigInt(units), order.token);
  const { kind } = order;
  if (kind === 'pay') {
    const tag = order.identifier === null ? '' : `, identifier ${order.identifier}`;
    return `Pay ${amount(order.amount)} to ${personName(order.target)}${tag}`;
  }
  if (kind === 'userDeposit') return `Pay ${amount(order.added)} into the user deposit`;
  if (kind === 'userDepositPlan')
    return `Plan to take ${amount(order.amount)} out of the user deposit`;
  if (kind === 'userDepositWithdraw') return `Take ${amount(order.amount)} out of the user deposit`;
  const channel = `the ${tokenName(order.token)} channel with ${personName(order.partner)}`;
  if (kind === 'open')
    return order.deposit === '0'
      ? `Open ${channel}`
      : `Open ${channel} with ${amount(order.deposit)}`;
  if (kind === 'deposit') return `Deposit ${amount(order.added)} into ${channel}`;
  if (kind === 'withdraw') return `Withdraw ${amount(order.taken)} from ${channel}`;
  return `Close ${channel}`;
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
