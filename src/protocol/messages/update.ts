/**
 * Changes of the sender's side of a channel, and the balance proof that holds after the last of them. All of them count,
 * or none: the signature covers the numbers after them, and under its additional hash each change.
 */
import { pack } from '../wire/packing.ts';
import { type Change, packedChange, readChanges } from './changes.ts';
import type { ProofDefinition } from './definition.ts';
import { type Envelope, readEnvelope, writeEnvelope } from './fields.ts';

export type Update = Envelope & { type: 'Update'; changes: readonly Change[] };

export const update: ProofDefinition<Update> = {
  read: (reading) => ({
    type: 'Update',
    ...readEnvelope(reading),
    changes: readChanges(reading, 'changes'),
  }),
  write: writeEnvelope,
  signed: 'balanceProof',
  packAdditional: ({ messageId, changes }) =>
    pack([['u8', changes.length], ['u64', messageId], ...changes.flatMap(packedChange)]),
};
