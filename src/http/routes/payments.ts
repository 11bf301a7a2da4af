/** Payments: history, and a new one. */

import type { InferOutput } from 'valibot';
import { MAX_UINT64 } from '../../basics/amount.ts';
import type { Address } from '../../basics/hex.ts';
import type { HistoryQuery, NodeApi } from '../../node/api/api.ts';
import { paymentRefusal } from '../../node/api/payment-values.ts';
import type { PaymentRequest } from '../../node/routing/usable-routes.ts';
import type { Result } from '../../protocol/codes.ts';
import { answer, failure, inSlices } from '../answers/responses.ts';
import { callOf, grantOf } from '../checks/call.ts';
import type { MountRoute, RouteList } from '../description/described.ts';
import * as endpoints from '../endpoints/payments.ts';
import type { newPayment } from '../shapes/requests.ts';
import { paymentObject, recordObject } from '../shapes/serializers.ts';

type Filter = { token: Address | null; partner: Address | null };
type Page = Omit<HistoryQuery, keyof Filter>;

type Parts = { node: NodeApi; route: MountRoute; routeList: RouteList };

export function paymentRoutes({ node, route, routeList }: Parts): void {
  function history(filter: Filter, page: Page) {
    if (filter.token !== null && node.tokenNetworkOf(filter.token) === null) {
      return failure('token_not_registered');
    }
    const { paymentId } = page;
    if (paymentId != null && (paymentId <= 0n || paymentId > MAX_UINT64))
      return failure('invalid_identifier');
    const records = node.payments({ ...filter, ...page });
    return answer(records, (slices) => inSlices(slices, recordObject));
  }

  routeList(endpoints.getPayments, ({ query }) => () => {
    return history({ token: null, partner: null }, query);
  });
  routeList(endpoints.getPaymentsOfToken, ({ token, query }) => () => {
    return history({ token, partner: null }, query);
  });
  routeList(endpoints.getPaymentsWithPartner, ({ token, partner, query }) => () => {
    return history({ token, partner }, query);
  });

  route(endpoints.pay, ({ token, partner: target, body }, c) => {
    const { cap, budget } = grantOf(c);
    const request = paymentRequest({ token, target, budget }, body);
    if (!request.ok) return request;
    const { value: order } = request;
    if (cap !== null && order.amount > cap)
      return failure('above_cap', `One payment may be of ${cap} at most.`);
    const refusal = paymentRefusal(order, node.ownAddress);
    if (refusal !== null) return refusal;
    return {
      work: () => node.pay(order, callOf(c)).then((paid) => answer(paid, paymentObject)),
      locks: () => node.locksFor(order),
    };
  });
}

function paymentRequest(
  { token, target, budget }: Required<Pick<PaymentRequest, 'token' | 'target' | 'budget'>>,
  body: InferOutput<typeof newPayment>,
): Result<PaymentRequest> {
  const { path, paths, amount, paymentId, lockTimeout, secret, secrethash, isFeeIncluded } = body;
  if (path !== null && paths !== null) return failure('conflicting_fields', 'path, paths.');
  const values = { amount, paymentId, lockTimeout, secret, secrethash, isFeeIncluded };
  return { ok: true, value: { token, target, ...values, routes: paths ?? path, budget } };
}
