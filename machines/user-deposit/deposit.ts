/** The orders to the user deposit: why one is refused, and what each does. Protocol 5.6. */

import type { Code } from '../../src/protocol/codes.ts';
import { withdrawalActorId } from '../base/actor-ids.ts';
import { only } from '../base/step.ts';
import type { Effect } from '../effects.ts';
import type { TransactionEnded } from '../events/chain.ts';
import type { OperateUserDeposit, UserDepositFacts, UserDepositOrder } from '../events/commands.ts';
import type { PlanEnded, WithdrawalEnded } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import {
  type DepositStep,
  on,
  onGiven,
  type StandingPlan,
  type UserDepositContext,
  type UserDepositEvent,
  when,
} from './context.ts';

/**
 * Why the order cannot be taken, or null. Wrong values are found before a lack of money, as the API orders the
 * errors.
 */
export function orderRefusal(order: UserDepositOrder, facts: UserDepositFacts): Code | null {
  switch (order.kind) {
    case 'deposit': {
      const added = order.amount - facts.totalDeposit;
      if (added <= 0n) return 'total_not_higher';
      if (added > facts.room) return 'above_limit';
      return added > facts.ownTokens ? 'insufficient_balance' : null;
    }
    case 'plan':
      if (order.amount <= 0n) return 'invalid_amount';
      return order.amount > facts.balance ? 'above_balance' : null;
    case 'withdraw':
      if (order.amount <= 0n) return 'invalid_amount';
      if (order.amount > facts.planned) return 'above_plan';
      // The transaction is mined in a later block than the newest.
      return facts.block + 1n < facts.withdrawBlock ? 'too_early' : null;
  }
}

function orderAdvice(code: Code, facts: UserDepositFacts): string {
  switch (code) {
    case 'total_not_higher':
      return `total_deposit is the new total and must be above the present one, ${facts.totalDeposit}.`;
    case 'above_limit':
      return `The contract takes only ${facts.room} more.`;
    case 'insufficient_balance':
      return `The account holds only ${facts.ownTokens} of the token that services are paid in.`;
    case 'invalid_amount':
      return 'It must be at least 1.';
    case 'above_balance':
      return `The user deposit holds only ${facts.balance}.`;
    case 'above_plan':
      return facts.planned === 0n
        ? 'No withdrawal is planned: plan one first.'
        : `Planned are ${facts.planned}.`;
    case 'too_early':
      return `The planned withdrawal can be made from block ${facts.withdrawBlock} on; the newest is ${facts.block}.`;
    case 'busy':
      return 'Another deposit, plan or withdrawal is on its way: wait for it.';
    default:
      return '';
  }
}

/** Takes over the plan that the contract holds, which another program may have made. */
function notePlan(deposit: UserDepositContext, { facts }: OperateUserDeposit): DepositStep {
  const { plan } = deposit;
  const { contract, planned: amount, withdrawBlock, withdrawDelay } = facts;
  const isKnown = plan?.amount === amount && plan.withdrawBlock === withdrawBlock;
  if (isKnown || (plan === null && amount === 0n)) return { patch: {}, effects: [] };
  const gone = plan === null ? [] : [replaced(plan)];
  if (amount === 0n) return { patch: { plan: null }, effects: gone };
  const withdrawals = deposit.withdrawals + 1;
  const id = withdrawalActorId(withdrawals);
  const input = { contract, amount, withdrawDelay, withdrawBlock, requestId: null };
  return {
    patch: { withdrawals, plan: { withdrawal: id, amount, withdrawBlock } },
    effects: [...gone, { type: 'spawn.withdrawal', id, input }],
  };
}

function replaced({ withdrawal: to }: StandingPlan): Effect {
  return { type: 'notify', to, event: { type: 'actor.planReplaced' } };
}

function payIn(deposit: UserDepositContext, event: OperateUserDeposit): DepositStep {
  const { order, facts, requestId } = event;
  const { contract, token, totalDeposit } = facts;
  const deposits = deposit.deposits + 1;
  const key = `deposit:${deposit.id}:${deposits}`;
  const tx = { from: deposit.id, key, deadlineBlock: null };
  const total = { total: order.amount, added: order.amount - totalDeposit };
  return {
    patch: { deposits, pending: { order, requestId } },
    effects: [{ type: 'tx.userDeposit', ...tx, contract, token, ...total }],
  };
}

function plan(deposit: UserDepositContext, event: OperateUserDeposit): DepositStep {
  const { order, facts, requestId } = event;
  const { contract, withdrawDelay } = facts;
  const withdrawals = deposit.withdrawals + 1;
  const id = withdrawalActorId(withdrawals);
  const { amount } = order;
  const input = { contract, amount, withdrawDelay, withdrawBlock: null, requestId };
  return {
    patch: { withdrawals, pending: { order, requestId } },
    effects: [{ type: 'spawn.withdrawal', id, input }],
  };
}

function withdraw(deposit: UserDepositContext, event: OperateUserDeposit): DepositStep {
  const { order, requestId } = event;
  if (deposit.plan === null) throw new Error('userDeposit: withdraws without a plan');
  const told = { type: 'actor.takeOut', amount: order.amount, requestId } as const;
  return {
    patch: { pending: { order, requestId } },
    effects: [{ type: 'notify', to: deposit.plan.withdrawal, event: told }],
  };
}

function endDeposit({ pending }: UserDepositContext, event: TransactionEnded): DepositStep {
  if (pending === null) throw new Error('userDeposit: an end of no deposit');
  const { requestId } = pending;
  if (!event.ok) {
    const { code, detail } = event;
    return {
      patch: { pending: null },
      effects: [{ type: 'reply.error', requestId, code, detail }],
    };
  }
  const { transactionHash, minedBlock: changedBlock } = event;
  const value = { kind: 'transaction', transactionHash } as const;
  return {
    patch: { pending: null, changedBlock },
    effects: [{ type: 'reply.ok', requestId, value }],
  };
}

/** The plan's own actor answers the caller. When a plan fails, the contract still holds the one before it. */
function endPlan(deposit: UserDepositContext, event: PlanEnded): DepositStep {
  if (event.plan === null) return { patch: { pending: null }, effects: [] };
  const { amount, withdrawBlock, minedBlock: changedBlock } = event.plan;
  return {
    patch: {
      pending: null,
      changedBlock,
      plan: { withdrawal: event.withdrawal, amount, withdrawBlock },
    },
    effects: deposit.plan === null ? [] : [replaced(deposit.plan)],
  };
}

function endWithdrawal(_: UserDepositContext, { minedBlock }: WithdrawalEnded): DepositStep {
  const taken = minedBlock === null ? {} : { plan: null, changedBlock: minedBlock };
  return { patch: { pending: null, ...taken }, effects: [] };
}

/** `given`: the code that the chart gives, if it knows why. */
function refuse(
  _: UserDepositContext,
  { requestId, order, facts }: OperateUserDeposit,
  given: { code: Code } | undefined,
): DepositStep {
  const code = given?.code ?? orderRefusal(order, facts) ?? 'busy';
  const detail = orderAdvice(code, facts);
  return { patch: {}, effects: [{ type: 'reply.error', requestId, code, detail }] };
}

export const guards = {
  isRefused: when((_, { order, facts }) => orderRefusal(order, facts) !== null, 'cmd.userDeposit'),
  isTo: (
    { event }: { event: Stamped<UserDepositEvent> },
    { kind }: Pick<UserDepositOrder, 'kind'>,
  ) => only(event, 'cmd.userDeposit').order.kind === kind,
};

export const actions = {
  notePlan: on(notePlan, 'cmd.userDeposit'),
  payIn: on(payIn, 'cmd.userDeposit'),
  plan: on(plan, 'cmd.userDeposit'),
  withdraw: on(withdraw, 'cmd.userDeposit'),
  endDeposit: on(endDeposit, 'chain.tx'),
  endPlan: on(endPlan, 'actor.planEnded'),
  endWithdrawal: on(endWithdrawal, 'actor.withdrawalEnded'),
  refuse: onGiven(refuse, 'cmd.userDeposit'),
};
