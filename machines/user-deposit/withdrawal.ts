/**
 * One withdrawal from the user deposit: planned on chain, and taken out when the contract's delay has passed. A newer
 * plan overwrites an older one; any withdrawal, even of less than was planned, uses the plan up.
 *
 * The transactions are jobs on disk, so that the withdrawal goes on after a restart. Protocol 5.6.
 */
import * as v from 'valibot';
import { enqueueActions, setup } from 'xstate';
import type { Code } from '../../src/protocol/codes.ts';
import { count, text } from '../../src/protocol/shapes.ts';
import type { Effect, ReplyValue } from '../effects.ts';
import type { TransactionEnded } from '../events/chain.ts';
import type { PlanEnded, PlanReplaced, TakeOut, WithdrawalEnded } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';
import { type WithdrawalInput, withdrawalInput } from '../inputs.ts';
import { binding, only, type Step, take } from '../step.ts';
import { USER_DEPOSIT } from './chart.ts';

export const withdrawalContext = v.object({
  ...withdrawalInput.entries,
  id: text,
  jobs: count,
  wakeBlock: v.null(),
});
export type WithdrawalContext = v.InferOutput<typeof withdrawalContext>;
export type WithdrawalEvent = TakeOut | PlanReplaced | TransactionEnded;
type WithdrawalStep = Step<WithdrawalContext>;

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

const { on } = binding<WithdrawalContext, Stamped<WithdrawalEvent>>();

export const withdrawalMachine = setup({
  types: {
    context: {} as WithdrawalContext,
    events: {} as Stamped<WithdrawalEvent>,
    emitted: {} as Effect,
    input: {} as WithdrawalInput & { id: string },
  },
  guards: {
    isPlanned: ({ context }) => context.withdrawBlock !== null,
    isFailed: ({ event }) => !only(event, 'chain.tx').ok,
  },
  actions: {
    submitPlan: enqueueActions(({ context, enqueue }) => take(enqueue, submitPlan(context))),
    submitWithdrawal: on(submitWithdrawal, 'actor.takeOut'),
    endPlan: on(endPlan, 'chain.tx'),
    endWithdrawal: on(endWithdrawal, 'chain.tx'),
  },
}).createMachine({
  id: 'withdrawal',
  description: 'One withdrawal from the user deposit: planned, then taken out.',
  context: ({ input }) => ({ ...input, jobs: 0, wakeBlock: null }),
  initial: 'appearing',
  states: {
    appearing: {
      description: 'Whether it stands in the contract already is looked at once.',
      always: [
        { guard: 'isPlanned', target: 'planned' },
        { target: 'planning', actions: 'submitPlan' },
      ],
    },
    planning: {
      description: 'The transaction that plans it is on its way.',
      on: {
        'chain.tx': [
          { guard: 'isFailed', target: 'failed', actions: 'endPlan' },
          { target: 'planned', actions: 'endPlan' },
        ],
      },
    },
    planned: {
      description: 'It stands in the contract; after the delay it can be taken out.',
      on: {
        'actor.takeOut': { target: 'withdrawing', actions: 'submitWithdrawal' },
        'actor.planReplaced': { target: 'replaced' },
      },
    },
    withdrawing: {
      description: 'The transaction that takes it out is on its way.',
      on: {
        'chain.tx': [
          // The contract still holds the plan: the withdrawal can be tried again.
          { guard: 'isFailed', target: 'planned', actions: 'endWithdrawal' },
          { target: 'done', actions: 'endWithdrawal' },
        ],
      },
    },
    done: { type: 'final', description: 'It was taken out.' },
    replaced: { type: 'final', description: 'Another plan stands in the contract.' },
    failed: { type: 'final', description: 'It was never planned: the transaction failed.' },
  },
});
