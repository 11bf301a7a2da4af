/**
 * What two partners tell each other when they meet again (a message of this project, not of the reference protocol):
 * for one channel, the nonce that the sender last signed, the nonce of the receiver that the sender last accepted,
 * and, as a proof of the latter, the receiver's own balance-proof signature.
 */
import { ZERO_HASH } from '../../basics/hex.ts';
import { EMPTY_SIGNATURE } from '../channel/balance-proof.ts';
import { ofChannel } from './common.ts';
import { type Fields, fields, noteWrong, type ValueOf } from './fields.ts';
import { bytes32, flag, literal, quotedSignature, uint64 } from './kinds.ts';

const declared = fields({
  type: literal('Sync'),
  ...ofChannel,
  /** Last nonce that the sender of this message signed. */
  signedNonce: uint64,
  /** The last nonce of the receiver that the sender has accepted, 0 when none. */
  acceptedNonce: uint64,
  /** Proof of `acceptedNonce`: what the receiver signed with it; all zero and 65 zero bytes when 0. */
  balanceHash: bytes32,
  additionalHash: bytes32,
  proofSignature: quotedSignature,
  /** True asks the receiver to answer with its own Sync. */
  answer: flag,
});
export type Sync = ValueOf<typeof declared>;

export const sync: Fields<Sync> = {
  ...declared,
  readInto: (from, note, into): into is Sync =>
    declared.readInto(from, note, into) &&
    (hasFittingProof(into) || noteWrong(note, 'proof_signature')),
};

/** Whether a nonce above 0 comes with the signature that proves it, and nonce 0 with nothing at all. */
function hasFittingProof(message: Sync): boolean {
  const { acceptedNonce, balanceHash, additionalHash, proofSignature } = message;
  const hasSignature = proofSignature !== EMPTY_SIGNATURE;
  if (acceptedNonce > 0n) return hasSignature;
  return !hasSignature && balanceHash === ZERO_HASH && additionalHash === ZERO_HASH;
}
