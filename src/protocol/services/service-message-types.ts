/** The messages that nodes send to services. Protocol section 2.2. */

import type { Address, Signature } from '../../basics/hex.ts';
import type { BalanceProof } from '../channel/balance-proof.ts';
import type { CapacityUpdate, FeeUpdate } from './pfs-update.ts';

/** Asks monitoring services to bring this balance proof on chain if the partner closes without it. */
export type MonitoringRequest = {
  /** The partner's newest balance proof; its nonce is not 0. */
  proof: BalanceProof;
  /** The partner's signature over the proof. */
  proofSignature: Signature;
  nonClosingParticipant: Address;
  /** The non-closing side's signature over the proof and the partner's signature: see `updateDigest`. */
  nonClosingSignature: Signature;
  /** In the service token's smallest unit. */
  rewardAmount: bigint;
  /** The contract that pays the reward. */
  monitoringService: Address;
};

export type ServiceMessage =
  | ({ type: 'PFSCapacityUpdate' } & CapacityUpdate)
  | ({ type: 'PFSFeeUpdate' } & FeeUpdate)
  | ({ type: 'RequestMonitoring' } & MonitoringRequest);

export type ServiceMessageType = ServiceMessage['type'];

export type SignedServiceMessage = { message: ServiceMessage; signature: Signature };
