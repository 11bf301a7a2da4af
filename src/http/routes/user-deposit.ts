/** The user deposit: pay in, plan a withdrawal, withdraw. */

import type { InferOutput } from 'valibot';
import { MAX_UINT256 } from '../../basics/amount.ts';
import type { NodeApi, Transaction, WithdrawPlan } from '../../node/api/api.ts';
import type { Call } from '../../node/runtime/knowledge/calls.ts';
import type { Result } from '../../protocol/codes.ts';
import { answer, failure } from '../answers/responses.ts';
import { callOf } from '../checks/call.ts';
import type { MountRoute } from '../description/described.ts';
import * as endpoints from '../endpoints/deposits.ts';
import type { userDepositOrder } from '../shapes/requests.ts';
import { transactionObject } from '../shapes/serializers.ts';

/** The one order that a POST gives. */
type Order = { purpose: 'deposit' | 'plan' | 'withdraw'; amount: bigint };

export function userDepositRoutes({ node, route }: { node: NodeApi; route: MountRoute }): void {
  route(endpoints.changeUserDeposit, ({ body }, c) => {
    const order = onlyOrder(body);
    if (!order.ok) return order;
    return async () => {
      // A missing contract is reported before a value that is out of range.
      if (node.contracts.userDepositAddress === null) return failure('no_user_deposit');
      if (!isAmount(order.value.amount)) {
        return failure('invalid_amount', 'It must be from 1 to 2^256 - 1.');
      }
      return answer(await obey(node, order.value, callOf(c)), transactionObject);
    };
  });
}

function onlyOrder(body: InferOutput<typeof userDepositOrder>): Result<Order> {
  const { totalDeposit, plannedAmount, withdrawAmount } = body;
  const orders: Order[] = [];
  if (totalDeposit !== null) orders.push({ purpose: 'deposit', amount: totalDeposit });
  if (plannedAmount !== null) orders.push({ purpose: 'plan', amount: plannedAmount });
  if (withdrawAmount !== null) orders.push({ purpose: 'withdraw', amount: withdrawAmount });
  const [order] = orders;
  if (order !== undefined && orders.length === 1) return { ok: true, value: order };
  const names = 'total_deposit, planned_withdraw_amount, withdraw_amount.';
  return failure('invalid_shape', `Give exactly one of ${names}`);
}

function obey(
  node: NodeApi,
  { purpose, amount }: Order,
  call: Call,
): Promise<Result<Transaction | WithdrawPlan>> {
  switch (purpose) {
    case 'deposit':
      return node.depositToUserDeposit(amount, call);
    case 'plan':
      return node.planUserDepositWithdraw(amount, call);
    case 'withdraw':
      return node.withdrawUserDeposit(amount, call);
  }
}

/** Whether the amount is acceptable; none of the three orders accepts zero. */
function isAmount(value: bigint): boolean {
  return value > 0n && value <= MAX_UINT256;
}
