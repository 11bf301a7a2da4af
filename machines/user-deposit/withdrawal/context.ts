/** What the actor of one withdrawal remembers, and every event that it can get. */
import * as v from 'valibot';
import { count, text } from '../../../src/protocol/shapes.ts';
import { type WithdrawalInput, withdrawalInput } from '../../base/inputs.ts';
import { binding, type Step } from '../../base/step.ts';
import type { TransactionEnded } from '../../events/chain.ts';
import type { PlanReplaced, TakeOut } from '../../events/notices.ts';
import type { Stamped } from '../../events/stamps.ts';

export const withdrawalContext = v.object({
  ...withdrawalInput.entries,
  id: text,
  jobs: count,
  wakeBlock: v.null(),
});
export type WithdrawalContext = v.InferOutput<typeof withdrawalContext>;

export type WithdrawalStep = Step<WithdrawalContext>;

export type WithdrawalEvent = TakeOut | PlanReplaced | TransactionEnded;

export const { on, onAny, when } = binding<WithdrawalContext, Stamped<WithdrawalEvent>>();

export function newWithdrawal(input: WithdrawalInput & { id: string }): WithdrawalContext {
  return { ...input, jobs: 0, wakeBlock: null };
}
