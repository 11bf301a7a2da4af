/** The definition of one kind of partner message; each kind has a file of its own. */
import type { Reading } from './message-fields.ts';

/** Fields under the names that they have in JSON; integers as decimal text. */
export type Wire = { [name: string]: string | boolean | Wire };

export type Definition<M> = {
  /** Reads the message. The result is valid only if the reading has noted no wrong field. */
  read(reading: Reading): M;
  /** The fields of the message besides `type`, `signature` and `changes`. */
  write(message: M): Wire;
};
/** A message that only the partner reads: the seal that it travels under tells who sent it. */
export type PlainDefinition<M> = Definition<M> & { signed: null };
/** A message that its sender signs in the form in which the contract reads a consent to a withdrawal. */
export type WithdrawDefinition<M> = Definition<M> & { signed: 'withdraw' };
/** A message that is a balance proof, once it is signed. */
export type ProofDefinition<M> = Definition<M> & {
  signed: 'balanceProof';
  /**
   * The bytes under `additionalHash`: the fields that the contract does not know. No padding follows the command
   * byte.
   */
  packAdditional(message: M): Uint8Array;
};
