/** Gives back a transfer that could not be passed on, under a lock with the same secrethash. */
import { pack } from '../wire/packing.ts';
import type { ProofDefinition } from './definition.ts';
import { packTransfer, readTransfer, type Transfer, writeTransfer } from './transfer.ts';

export type RefundTransfer = Transfer & { type: 'RefundTransfer' };

const COMMAND = 8;

export const refundTransfer: ProofDefinition<RefundTransfer> = {
  read: (reading) => ({ type: 'RefundTransfer', ...readTransfer(reading) }),
  write: writeTransfer,
  signed: 'balanceProof',
  packAdditional: (message) => pack(packTransfer(COMMAND, message)),
};
