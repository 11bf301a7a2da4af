/** Checks the values of a payment request that no state of a node could make acceptable. */
import { MAX_UINT64, MAX_UINT256 } from '../../basics/amount.ts';
import { type Address, ZERO_ADDRESS, ZERO_HASH } from '../../basics/hex.ts';
import { type Failure, failure } from '../../protocol/codes.ts';
import { secrethashOf } from '../../protocol/hash.ts';
import type { PaymentRequest } from '../routing/usable-routes.ts';

/**
 * Null when the request is acceptable. `own`: the address of the node that is to pay. Failures (decisions page, Shape
 * or value): invalid_token, invalid_partner, invalid_amount, invalid_identifier, invalid_timeout, invalid_secret.
 */
export function paymentRefusal(request: PaymentRequest, own: Address): Failure | null {
  const { token, target, amount, paymentId, lockTimeout } = request;
  if (token === ZERO_ADDRESS) return failure('invalid_token', 'The zero address is no token.');
  const { isCircular = false } = request;
  if (target === ZERO_ADDRESS || (target === own && !isCircular))
    return failure('invalid_partner', 'It is this node itself, or the zero address.');
  if (isCircular && (target !== own || request.routes === null))
    return failure('invalid_partner', 'A circular payment is to this node, over given paths.');
  if (amount <= 0n || amount > MAX_UINT256)
    return failure('invalid_amount', 'It must be from 1 to 2^256 - 1.');
  if (paymentId !== null && (paymentId <= 0n || paymentId > MAX_UINT64))
    return failure('invalid_identifier');
  if (lockTimeout !== null && (lockTimeout <= 0n || lockTimeout > MAX_UINT256))
    return failure('invalid_timeout', 'lock_timeout must be from 1 to 2^256 - 1 blocks.');
  return secretRefusal(request);
}

function secretRefusal({ secret, secrethash }: PaymentRequest): Failure | null {
  if (secret === null)
    return secrethash === null
      ? null
      : failure('invalid_secret', 'secret_hash needs the secret that it belongs to.');
  // Everybody knows the zero secret, and the secret registry does not take it, so no target could claim such a lock.
  if (secret === ZERO_HASH) return failure('invalid_secret', 'The zero secret protects nothing.');
  return secrethash === null || secrethash === secrethashOf(secret)
    ? null
    : failure('invalid_secret', 'secret_hash is not the sha256 of secret.');
}
