/** What owners ask of their nodes about the tokens that the user-deposit contract keeps for services. */
import type { Transaction, WithdrawPlan } from '../../node/api/api.ts';
import type { RunningNode } from '../../node/start.ts';
import type { Result } from '../../protocol/codes.ts';
import type { Step } from '../scenario/schema/steps.ts';

export type UserDepositStep = Extract<Step, { do: `${string}_user_${string}` }>;

/** Gives the order to the node. `total`: the whole deposit as the contract counts it, in units of the service token. */
export function askUserDeposit(
  node: RunningNode,
  step: UserDepositStep,
  total: bigint,
): Promise<Result<Transaction | WithdrawPlan>> {
  switch (step.do) {
    case 'fill_user_deposit':
      return node.depositToUserDeposit(total + step.amount);
    case 'plan_user_withdrawal':
      return node.planUserDepositWithdraw(step.amount);
    case 'withdraw_user_deposit':
      return node.withdrawUserDeposit(step.amount);
  }
}
