/** Payments: history, and a new one. */
import type { InferOutput } from 'valibot';
import type { HistoryQuery, NodeApi } from '../../node/api/api.ts';
import type { PaymentRequest } from '../../node/routing/ways.ts';
import { MAX_UINT64, MAX_UINT256 } from '../../protocol/amount.ts';
import type { Failure, Result } from '../../protocol/codes.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import { type Address, ZERO_ADDRESS, ZERO_HASH } from '../../protocol/hex.ts';
import { answer, failure, inSlices } from '../answers.ts';
import { grantOf } from '../calls.ts';
import type { Route, RouteList } from '../described.ts';
import * as endpoints from '../endpoints/payments.ts';
import type { newPayment } from '../requests.ts';
import { paymentObject, recordObject } from '../views.ts';

type Filter = { token: Address | null; partner: Address | null };
type Page = Omit<HistoryQuery, keyof Filter>;

type Parts = { node: NodeApi; route: Route; routeList: RouteList };

export function paymentRoutes({ node, route, routeList }: Parts): void {
  function history(filter: Filter, page: Page) {
    if (filter.token !== null && node.tokenNetworkOf(filter.token) === null) {
      return failure('token_not_registered');
    }
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
    const request = paymentRequest(body, token, target);
    if (!request.ok) return request;
    const { cap, budget } = grantOf(c);
    if (cap !== null && request.value.amount > cap)
      return failure('above_cap', `One payment may be of ${cap} at most.`);
    const refusal = paymentRefusal(request.value, node.ownAddress);
    if (refusal !== null) return refusal;
    const order = { ...request.value, budget };
    return async () => answer(await node.pay(order), paymentObject);
  });
}

function paymentRequest(
  body: InferOutput<typeof newPayment>,
  token: Address,
  target: Address,
): Result<PaymentRequest> {
  const { path, paths, ...rest } = body;
  if (path !== null && paths !== null) return failure('conflicting_fields', 'path, paths.');
  return { ok: true, value: { token, target, ...rest, routes: paths ?? path } };
}

/** Values that no node could take (decisions page, Shape or value). */
function paymentRefusal(request: PaymentRequest, ownAddress: Address): Failure | null {
  const { token, target, amount, paymentId, lockTimeout } = request;
  if (token === ZERO_ADDRESS) return failure('invalid_token');
  if (target === ZERO_ADDRESS || target === ownAddress) return failure('invalid_partner');
  if (amount <= 0n || amount > MAX_UINT256) {
    return failure('invalid_amount', 'It must be from 1 to 2^256 - 1.');
  }
  if (paymentId !== null && (paymentId <= 0n || paymentId > MAX_UINT64)) {
    return failure('invalid_identifier');
  }
  if (lockTimeout !== null && (lockTimeout <= 0n || lockTimeout > MAX_UINT256)) {
    return failure('invalid_timeout', 'lock_timeout must be from 1 to 2^256 - 1 blocks.');
  }
  return secretRefusal(request);
}

function secretRefusal({ secret, secrethash }: PaymentRequest): Failure | null {
  if (secret === null) {
    return secrethash === null ? null : failure('invalid_secret', 'A hash needs its secret.');
  }
  // The secret registry takes no zero secret: the target could never claim such a lock on chain.
  if (secret === ZERO_HASH) return failure('invalid_secret', 'It must not be zero.');
  if (secrethash === null || secrethash === secrethashOf(secret)) return null;
  return failure('invalid_secret', 'The hash is not the SHA-256 of the secret.');
}
