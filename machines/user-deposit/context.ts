/** What the actor of the user deposit remembers, and every event that it can get. */
import * as v from 'valibot';
import { count, text, uint } from '../../src/protocol/shapes.ts';
import type { UserDepositInput } from '../base/inputs.ts';
import { binding, type Step } from '../base/step.ts';
import type { TransactionEnded } from '../events/chain.ts';
import { type OperateUserDeposit, userDepositOrder } from '../events/commands.ts';
import type { PlanEnded, WithdrawalEnded } from '../events/notices.ts';
import type { Stamped } from '../events/stamps.ts';

/** The plan that the contract holds, and the actor that looks after it. */
const standingPlan = v.object({ withdrawal: text, amount: uint, withdrawBlock: uint });
export type StandingPlan = v.InferOutput<typeof standingPlan>;

export const userDepositContext = v.object({
  id: text,
  /** The order that is on its way, and the request that is answered at its end. */
  pending: v.nullable(v.object({ order: userDepositOrder, requestId: text })),
  plan: v.nullable(standingPlan),
  /** How many withdrawals were spawned, and how many deposits submitted. */
  withdrawals: count,
  deposits: count,
  /** The block of the last transaction that had an effect: facts that were read at an older block are out of date. */
  changedBlock: uint,
  wakeBlock: v.null(),
});
export type UserDepositContext = v.InferOutput<typeof userDepositContext>;

export type DepositStep = Step<UserDepositContext>;

export type UserDepositEvent = OperateUserDeposit | TransactionEnded | PlanEnded | WithdrawalEnded;

export const { on, onGiven, when } = binding<UserDepositContext, Stamped<UserDepositEvent>>();

export function newUserDeposit(input: UserDepositInput): UserDepositContext {
  return {
    ...input,
    pending: null,
    plan: null,
    withdrawals: 0,
    deposits: 0,
    changedBlock: 0n,
    wakeBlock: null,
  };
}
