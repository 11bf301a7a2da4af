/** A payment under a lock, passed on from hop to hop until it reaches the target. */
import { metadataHash } from '../wire/metadata.ts';
import { pack } from '../wire/packing.ts';
import type { ProofDefinition } from './definition.ts';
import { packTransfer, readTransfer, type Transfer, writeTransfer } from './transfer.ts';

export type LockedTransfer = Transfer & { type: 'LockedTransfer' };

const COMMAND = 7;

export const lockedTransfer: ProofDefinition<LockedTransfer> = {
  read: (reading) => ({ type: 'LockedTransfer', ...readTransfer(reading) }),
  write: writeTransfer,
  signed: 'balanceProof',
  packAdditional: (message) =>
    pack([...packTransfer(COMMAND, message), ['bytes32', metadataHash(message.metadata)]]),
};
