/**
 * The target asks the initiator for the secret of the lock that reached it, and says of which token that is: a mediator could
 * have passed the payment on in a channel of another one, which is worth nothing.
 */
import type { Address, Hash } from '../../basics/hex.ts';
import type { PlainDefinition } from './definition.ts';
import * as read from './message-fields.ts';

export type SecretRequest = {
  type: 'SecretRequest';
  messageId: bigint;
  paymentId: bigint;
  secrethash: Hash;
  token: Address;
  amount: bigint;
  expiration: bigint;
};

export const secretRequest: PlainDefinition<SecretRequest> = {
  read: (reading) => ({
    type: 'SecretRequest',
    messageId: read.uint64(reading, 'message_identifier'),
    paymentId: read.uint64(reading, 'payment_identifier'),
    secrethash: read.bytes32(reading, 'secrethash'),
    token: read.address(reading, 'token'),
    amount: read.uint256(reading, 'amount'),
    expiration: read.uint256(reading, 'expiration'),
  }),
  write: (message) => ({
    message_identifier: String(message.messageId),
    payment_identifier: String(message.paymentId),
    secrethash: message.secrethash,
    token: message.token,
    amount: String(message.amount),
    expiration: String(message.expiration),
  }),
  signed: null,
};
