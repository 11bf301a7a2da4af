/**
 * The target asks the initiator for the secret of the lock that reached it, and says of which token that is: a mediator could
 * have passed the payment on in a channel of another one, which is worth nothing.
 */
import { fields, type ValueOf } from './fields.ts';
import { address, bytes32, literal, messageId, paymentId, uint256 } from './kinds.ts';

export const secretRequest = fields({
  type: literal('SecretRequest'),
  messageId,
  paymentId,
  secrethash: bytes32,
  token: address,
  amount: uint256,
  expiration: uint256,
});
export type SecretRequest = ValueOf<typeof secretRequest>;
