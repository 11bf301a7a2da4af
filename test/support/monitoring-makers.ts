/** Requests to monitor as nodes make them, signed by keys that tests hold. */

import type { Address } from '../../src/basics/hex.ts';
import {
  balanceHash,
  balanceProofDigest,
  updateDigest,
} from '../../src/protocol/channel/balance-proof.ts';
import { NO_LOCKS_ROOT } from '../../src/protocol/channel/lock.ts';
import type { MonitoringRequest } from '../../src/protocol/services/monitoring-request.ts';
import { rewardProofDigest } from '../../src/protocol/services/reward-proof.ts';
import type { Signer } from '../../src/signer/signer.ts';

export type Wanted = {
  owner: Signer;
  partner: Signer;
  chainId: bigint;
  tokenNetwork: Address;
  channelId: bigint;
  monitoringService: Address;
  nonce?: bigint;
  /** What the partner has sent in all; 0 makes a proof of nothing. */
  transferred?: bigint;
  reward?: bigint;
  /** Who signs instead: the balance proof, the owner's consent to it, the promise of the reward. */
  signers?: { proof?: Signer; update?: Signer; reward?: Signer };
};

export function monitoringRequest(wanted: Wanted) {
  const { owner, partner, chainId, tokenNetwork, channelId, monitoringService } = wanted;
  const { nonce = 7n, transferred = 10n, reward = 80n, signers = {} } = wanted;
  const balances = { transferredAmount: transferred, lockedAmount: 0n, locksroot: NO_LOCKS_ROOT };
  const proof = {
    chainId,
    tokenNetwork,
    channelId,
    nonce,
    balanceHash: balanceHash(balances),
    additionalHash: `0x${'ad'.repeat(32)}`,
  } as const;
  const proofSignature = (signers.proof ?? partner).sign(balanceProofDigest(proof));
  const nonClosingSignature = (signers.update ?? owner).sign(updateDigest(proof, proofSignature));
  const request: MonitoringRequest = {
    proof,
    proofSignature,
    nonClosingSignature,
    monitoringService,
    nonClosingParticipant: owner.address,
    rewardAmount: reward,
  };
  const digest = rewardProofDigest({ ...request, chainId, tokenNetwork });
  const signature = (signers.reward ?? owner).sign(digest);
  return { message: { type: 'RequestMonitoring' as const, ...request }, signature };
}
