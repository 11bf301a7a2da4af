/** Turns a lock into a payment: the secret is known. */
import type { Secret } from '../../basics/hex.ts';
import * as read from '../wire/message-fields.ts';
import { pack } from '../wire/packing.ts';
import type { ProofDefinition } from './definition.ts';
import { type Envelope, readEnvelope, writeEnvelope } from './fields.ts';

export type Unlock = Envelope & { type: 'Unlock'; paymentId: bigint; secret: Secret };

const COMMAND = 4;

export const unlock: ProofDefinition<Unlock> = {
  read: (reading) => ({
    type: 'Unlock',
    ...readEnvelope(reading),
    paymentId: read.uint64(reading, 'payment_identifier'),
    secret: read.bytes32(reading, 'secret'),
  }),
  write: (message) => ({
    ...writeEnvelope(message),
    payment_identifier: String(message.paymentId),
    secret: message.secret,
  }),
  signed: 'balanceProof',
  packAdditional: ({ messageId, paymentId, secret }) =>
    pack([
      ['u8', COMMAND],
      ['u64', messageId],
      ['u64', paymentId],
      ['bytes32', secret],
    ]),
};
