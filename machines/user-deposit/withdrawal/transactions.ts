/** The two transactions of a withdrawal, which plan it and take it out, and what is answered when one has ended. */

import type { Code } from '../../../src/protocol/codes.ts';
import { USER_DEPOSIT } from '../../base/actor-ids.ts';
import type { Effect, ReplyValue } from '../../effects.ts';
import type { TransactionEnded } from '../../events/chain.ts';
import type { PlanEnded, TakeOut, WithdrawalEnded } from '../../events/notices.ts';
import { on, onAny, type WithdrawalContext, type WithdrawalStep, when } from './context.ts';

function submitPlan(withdrawal: WithdrawalContext): WithdrawalStep {
  const { id: from, contract, amount } = withdrawal;
  const key = `plan:${from}`;
  return {
    patch: {},
    effects: [{ type: 'tx.userDepositPlan', from, key, deadlineBlock: null, contract, amount }],
  };
}

function submitWithdrawal(withdrawal: WithdrawalContext, event: TakeOut): WithdrawalStep {
  const { id: from, contract, withdrawBlock } = withdrawal;
  const { amount, requestId } = event;
  if (withdrawBlock === null) throw new Error(`${from}: withdraws before it is planned`);
  const jobs = withdrawal.jobs + 1;
  const tx = { from, key: `withdraw:${from}:${jobs}`, deadlineBlock: null, contract, amount };
  return {
    patch: { jobs, requestId },
    effects: [{ type: 'tx.userDepositWithdraw', ...tx, withdrawBlock }],
  };
}

/** How a transaction ended, as the caller gets it. */
type Answer =
  | { type: 'reply.ok'; value: ReplyValue }
  | { type: 'reply.error'; code: Code; detail: string };

/** The transaction of the plan has ended: the caller gets the first block in which the amount can be withdrawn. */
function endPlan(withdrawal: WithdrawalContext, event: TransactionEnded): WithdrawalStep {
  const { id, amount, withdrawDelay } = withdrawal;
  const told = { type: 'actor.planEnded', withdrawal: id } as const;
  if (!event.ok) return end(withdrawal, { ...told, plan: null }, refusal(event));
  const { transactionHash, minedBlock } = event;
  const withdrawBlock = minedBlock + withdrawDelay;
  const plan = { amount, withdrawBlock, minedBlock };
  const value = { kind: 'withdrawPlan', transactionHash, withdrawBlock } as const;
  const { patch, effects } = end(withdrawal, { ...told, plan }, { type: 'reply.ok', value });
  return { patch: { ...patch, withdrawBlock }, effects };
}

function endWithdrawal(withdrawal: WithdrawalContext, event: TransactionEnded): WithdrawalStep {
  const told = { type: 'actor.withdrawalEnded' } as const;
  if (!event.ok) return end(withdrawal, { ...told, minedBlock: null }, refusal(event));
  const { transactionHash, minedBlock } = event;
  const value = { kind: 'transaction', transactionHash } as const;
  return end(withdrawal, { ...told, minedBlock }, { type: 'reply.ok', value });
}

function refusal({ code, detail }: Extract<TransactionEnded, { ok: false }>): Answer {
  return { type: 'reply.error', code, detail };
}

/** Tells the user deposit that the withdrawal has ended, and answers the caller, if one waits. */
function end(
  { requestId }: WithdrawalContext,
  event: PlanEnded | WithdrawalEnded,
  answer: Answer,
): WithdrawalStep {
  const told: Effect = { type: 'notify', to: USER_DEPOSIT, event };
  const effects = requestId === null ? [told] : [told, { ...answer, requestId }];
  return { patch: { requestId: null }, effects };
}

export const guards = {
  isPlanned: ({ context }: { context: WithdrawalContext }) => context.withdrawBlock !== null,
  isFailed: when((_, { ok }) => !ok, 'chain.tx'),
};

export const actions = {
  submitPlan: onAny(submitPlan),
  submitWithdrawal: on(submitWithdrawal, 'actor.takeOut'),
  endPlan: on(endPlan, 'chain.tx'),
  endWithdrawal: on(endWithdrawal, 'chain.tx'),
};
