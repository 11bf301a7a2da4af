/** Takes back a lock that has expired. */
import type { Address, Hash } from '../../basics/hex.ts';
import * as read from '../wire/message-fields.ts';
import { pack } from '../wire/packing.ts';
import type { ProofDefinition } from './definition.ts';
import { type Envelope, readEnvelope, writeEnvelope } from './fields.ts';

export type LockExpired = Envelope & { type: 'LockExpired'; recipient: Address; secrethash: Hash };

const COMMAND = 13;

export const lockExpired: ProofDefinition<LockExpired> = {
  read: (reading) => ({
    type: 'LockExpired',
    ...readEnvelope(reading),
    recipient: read.address(reading, 'recipient'),
    secrethash: read.bytes32(reading, 'secrethash'),
  }),
  write: (message) => ({
    ...writeEnvelope(message),
    recipient: message.recipient,
    secrethash: message.secrethash,
  }),
  signed: 'balanceProof',
  packAdditional: ({ messageId, recipient, secrethash }) =>
    pack([
      ['u8', COMMAND],
      ['u64', messageId],
      ['address', recipient],
      ['bytes32', secrethash],
    ]),
};
