/** What a LockedTransfer and a RefundTransfer have in common: all but the name, the command and the metadata's hash. */

import type { Address } from '../../basics/hex.ts';
import type { Lock } from '../channel/lock.ts';
import * as read from '../wire/message-fields.ts';
import type { Field } from '../wire/packing.ts';
import type { Wire } from './definition.ts';
import { type Envelope, readEnvelope, writeEnvelope } from './fields.ts';

/** Largest metadata, in bytes of its canonical text. */
export const MAX_METADATA_BYTES = 16 * 1024;

/** `metadata` is canonical JSON text (keys sorted, no blanks): it is hashed and forwarded as it came. */
export type Transfer = Envelope & {
  paymentId: bigint;
  token: Address;
  recipient: Address;
  target: Address;
  initiator: Address;
  lock: Lock;
  metadata: string;
};

export function readTransfer(reading: read.Reading): Transfer {
  return {
    ...readEnvelope(reading),
    paymentId: read.uint64(reading, 'payment_identifier'),
    token: read.address(reading, 'token'),
    recipient: read.address(reading, 'recipient'),
    target: read.address(reading, 'target'),
    initiator: read.address(reading, 'initiator'),
    lock: read.lock(reading, 'lock'),
    metadata: read.metadata(reading, 'metadata', MAX_METADATA_BYTES),
  };
}

export function writeTransfer(message: Transfer): Wire {
  return {
    ...writeEnvelope(message),
    payment_identifier: String(message.paymentId),
    token: message.token,
    recipient: message.recipient,
    target: message.target,
    initiator: message.initiator,
    lock: {
      amount: String(message.lock.amount),
      expiration: String(message.lock.expiration),
      secrethash: message.lock.secrethash,
    },
  };
}

export function packTransfer(command: number, message: Transfer): Field[] {
  return [
    ['u8', command],
    ['u64', message.messageId],
    ['u64', message.paymentId],
    ['u256', message.lock.expiration],
    ['address', message.token],
    ['address', message.recipient],
    ['address', message.target],
    ['address', message.initiator],
    ['bytes32', message.lock.secrethash],
    ['u256', message.lock.amount],
  ];
}
