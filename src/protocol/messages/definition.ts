/** What there is to say of one kind of partner message: its file says all of it. */
import type { Reading } from '../message-fields.ts';

/** Fields under the names that they have in JSON; integers as decimal text. */
export type Wire = { [name: string]: string | boolean | Wire };

export type Definition<M> = {
  /** Good only if the reading then says that nothing was wrong. */
  read(reading: Reading): M;
  /** Besides `type`, `signature` and `metadata`. */
  write(message: M): Wire;
};
/** Only the partner reads it: the seal that it travels under says who sent it. */
export type PlainDefinition<M> = Definition<M> & { signed: null };
/** Its sender signs it as the contract reads a consent to a withdrawal. */
export type WithdrawDefinition<M> = Definition<M> & { signed: 'withdraw' };
/** It is a balance proof, once it is signed. */
export type ProofDefinition<M> = Definition<M> & {
  signed: 'balanceProof';
  /** The bytes behind the hash of what the contract does not know. No padding follows the command byte. */
  packAdditional(message: M): Uint8Array;
};
