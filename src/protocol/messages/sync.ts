/**
 * What two partners tell each other when they meet again (a message of this project, not of the reference protocol):
 * for one channel, the nonce that the sender last signed, the nonce of the receiver that the sender last accepted,
 * and, as a proof of the latter, the receiver's own balance-proof signature.
 */

import { type Hash, type Signature, ZERO_HASH } from '../../basics/hex.ts';
import { EMPTY_SIGNATURE } from '../channel/balance-proof.ts';
import type { CanonicalId } from '../channel/canonical-id.ts';
import type { PlainDefinition } from './definition.ts';
import { readChannel, writeChannel } from './fields.ts';
import * as read from './message-fields.ts';

export type Sync = CanonicalId & {
  type: 'Sync';
  messageId: bigint;
  /** Last nonce that the sender of this message signed. */
  signedNonce: bigint;
  /** The last nonce of the receiver that the sender has accepted, 0 when none. */
  acceptedNonce: bigint;
  /** Proof of `acceptedNonce`: what the receiver signed with it; all zero and 65 zero bytes when 0. */
  balanceHash: Hash;
  additionalHash: Hash;
  proofSignature: Signature;
  /** True asks the receiver to answer with its own Sync. */
  answer: boolean;
};

export const sync: PlainDefinition<Sync> = {
  read(reading) {
    const message: Sync = {
      type: 'Sync',
      ...readChannel(reading),
      signedNonce: read.uint64(reading, 'signed_nonce'),
      acceptedNonce: read.uint64(reading, 'accepted_nonce'),
      balanceHash: read.bytes32(reading, 'balance_hash'),
      additionalHash: read.bytes32(reading, 'additional_hash'),
      proofSignature: read.quotedSignature(reading, 'proof_signature'),
      answer: read.flag(reading, 'answer'),
    };
    return hasFittingProof(message) ? message : read.refuse(reading, 'proof_signature', message);
  },
  write: (message) => ({
    ...writeChannel(message),
    signed_nonce: String(message.signedNonce),
    accepted_nonce: String(message.acceptedNonce),
    balance_hash: message.balanceHash,
    additional_hash: message.additionalHash,
    proof_signature: message.proofSignature,
    answer: message.answer,
  }),
  signed: null,
};

/** Whether a nonce above 0 comes with the signature that proves it, and nonce 0 with nothing at all. */
function hasFittingProof(message: Sync): boolean {
  const { acceptedNonce, balanceHash, additionalHash, proofSignature } = message;
  const hasSignature = proofSignature !== EMPTY_SIGNATURE;
  if (acceptedNonce > 0n) return hasSignature;
  return !hasSignature && balanceHash === ZERO_HASH && additionalHash === ZERO_HASH;
}
