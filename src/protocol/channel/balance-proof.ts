/**
 * Balance proofs: what one side of a channel owes the other, in the form that the contract accepts.
 *
 * The sender of the transfers signs 212 bytes. Whoever brings them on chain counter-signs 277 bytes: the same ones,
 * with the message type of the call, and the first signature behind them. Source: TokenNetwork.sol of generation
 * 0.40.
 */

import * as v from 'valibot';
import { type Hash, type Signature, ZERO_HASH } from '../../basics/hex.ts';
import { keccakHex, personalHash } from '../hash.ts';
import { hex, uint } from '../shapes.ts';
import { type Field, pack } from '../wire/packing.ts';
import type { CanonicalId } from './canonical-id.ts';
import { NO_LOCKS_ROOT } from './lock.ts';

/** The amounts behind a balance hash. */
export type Balances = { transferredAmount: bigint; lockedAmount: bigint; locksroot: Hash };

/** What the contract learns of one side; all zero (and an empty signature) when it never sent anything. */
export type BalanceProof = CanonicalId & { balanceHash: Hash; nonce: bigint; additionalHash: Hash };

/** Stands for the signature of a side that never signed a balance proof. */
export const EMPTY_SIGNATURE: Signature = `0x${'00'.repeat(65)}`;

/** The contract's MessageTypeId: a balance proof is signed by its sender as 1, and updated with 2. */
const BALANCE_PROOF = 1n;
const BALANCE_PROOF_UPDATE = 2n;

/** The commitment to the amounts; zero for a side that has transferred nothing and locked nothing. */
export function balanceHash(balances: Balances): Hash {
  const { transferredAmount, lockedAmount, locksroot } = balances;
  if (transferredAmount === 0n && lockedAmount === 0n && locksroot === NO_LOCKS_ROOT) {
    return ZERO_HASH;
  }
  return keccakHex(
    pack([
      ['u256', transferredAmount],
      ['u256', lockedAmount],
      ['bytes32', locksroot],
    ]),
  );
}

function fieldsOf(proof: BalanceProof, messageType: bigint): Field[] {
  return [
    ['address', proof.tokenNetwork],
    ['u256', proof.chainId],
    ['u256', messageType],
    ['u256', proof.channelId],
    ['bytes32', proof.balanceHash],
    ['u256', proof.nonce],
    ['bytes32', proof.additionalHash],
  ];
}

/** 212 bytes, signed by the sender of the transfers. */
export function packBalanceProof(proof: BalanceProof): Uint8Array {
  return pack(fieldsOf(proof, BALANCE_PROOF));
}

/**
 * 277 bytes for `closeChannel`, signed by the closing side over the partner's balance proof and its
 * signature; nonce 0, zero hashes and `EMPTY_SIGNATURE` when the partner never sent anything.
 */
export function packClosing(proof: BalanceProof, signature: Signature): Uint8Array {
  return pack([...fieldsOf(proof, BALANCE_PROOF), ['signature', signature]]);
}

/**
 * 277 bytes for `updateNonClosingBalanceProof`, signed by the non-closing side over the closing side's
 * balance proof and its signature (which is over type 1).
 */
export function packUpdate(proof: BalanceProof, signature: Signature): Uint8Array {
  return pack([...fieldsOf(proof, BALANCE_PROOF_UPDATE), ['signature', signature]]);
}

/** The digest that the sender of the transfers signs. */
export function balanceProofDigest(proof: BalanceProof): Uint8Array {
  return personalHash(packBalanceProof(proof));
}

/** The digest that the closing side signs, see `packClosing`. */
export function closingDigest(proof: BalanceProof, signature: Signature): Uint8Array {
  return personalHash(packClosing(proof, signature));
}

/** The digest that the non-closing side signs, see `packUpdate`. */
export function updateDigest(proof: BalanceProof, signature: Signature): Uint8Array {
  return personalHash(packUpdate(proof, signature));
}

/** A balance proof that the partner signed, ready to be brought on chain. */
export const partnerProof = v.object({
  nonce: uint,
  balanceHash: hex,
  additionalHash: hex,
  signature: hex,
});
export type PartnerProof = v.InferOutput<typeof partnerProof>;
