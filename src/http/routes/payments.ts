/** Payments: history, and a new one. */
import type { InferOutput } from 'valibot';
import type { NodeApi, PaymentRequest } from '../../node/api.ts';
import { MAX_UINT64, MAX_UINT256 } from '../../protocol/amount.ts';
import type { Failure, Result } from '../../protocol/codes.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import { type Address, ZERO_ADDRESS, ZERO_HASH } from '../../protocol/hex.ts';
import { answer, failure, type Refusal, refuse } from '../answers.ts';
import {
  type ApiContext,
  type Job,
  noAddress,
  type Route,
  tokenAddress,
  tokenAndPartner,
} from '../calls.ts';
import { historyPage, newPayment, readBody, readQuery } from '../schema.ts';
import { paymentObject, recordObject } from '../views.ts';

type Filter = { token?: Address; partner?: Address };

export function paymentRoutes({ node, route }: { node: NodeApi; route: Route }): void {
  function history(c: ApiContext, { token, partner }: Filter): Job | Refusal {
    const page = readQuery(c.req.url, historyPage);
    if (!page.ok) return page;
    const query = { token: token ?? null, partner: partner ?? null, ...page.value };
    return async () => {
      if (query.token !== null && node.tokenNetworkOf(query.token) === null) {
        return refuse(failure('token_not_registered'));
      }
      return answer(await node.payments(query), (records) => records.map(recordObject));
    };
  }

  route({ path: '/payments', addresses: noAddress, methods: { GET: history } });
  route({ path: '/payments/:token', addresses: tokenAddress, methods: { GET: history } });
  route({
    path: '/payments/:token/:partner',
    addresses: tokenAndPartner,
    methods: {
      GET: history,
      POST: async (c, { token, partner: target }) => {
        const body = await readBody(c.req.raw, newPayment);
        if (!body.ok) return body;
        const request = paymentRequest(body.value, token, target);
        if (!request.ok) return request;
        const refusal = paymentRefusal(request.value, node.ownAddress);
        if (refusal !== null) return refusal;
        return async () => answer(await node.pay(request.value), paymentObject);
      },
    },
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
  if (amount <= 0n || amount > MAX_UINT256) return failure('invalid_amount');
  if (paymentId !== null && (paymentId <= 0n || paymentId > MAX_UINT64)) {
    return failure('invalid_identifier');
  }
  if (lockTimeout !== null && (lockTimeout <= 0n || lockTimeout > MAX_UINT256)) {
    return failure('invalid_timeout', 'See lock_timeout.');
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
