/** The reward that a monitoring service may take for having brought a balance proof on chain. */

import type { Address, Signature } from '../../basics/hex.ts';
import { personalHash } from '../hash.ts';
import { pack } from '../wire/packing.ts';

export type RewardProof = {
  monitoringService: Address;
  chainId: bigint;
  tokenNetwork: Address;
  nonClosingParticipant: Address;
  /** The non-closing side's signature over `packUpdate`: only this binds the balance proof. */
  nonClosingSignature: Signature;
  /** In the service token's smallest unit. */
  rewardAmount: bigint;
};

/** The contract's MessageTypeId. */
const REWARD = 6n;

/** 221 bytes, signed by the non-closing side. */
export function packRewardProof(proof: RewardProof): Uint8Array {
  return pack([
    ['address', proof.monitoringService],
    ['u256', proof.chainId],
    ['u256', REWARD],
    ['address', proof.tokenNetwork],
    ['address', proof.nonClosingParticipant],
    ['signature', proof.nonClosingSignature],
    ['u256', proof.rewardAmount],
  ]);
}

/** The digest that the non-closing side signs. */
export function rewardProofDigest(proof: RewardProof): Uint8Array {
  return personalHash(packRewardProof(proof));
}
