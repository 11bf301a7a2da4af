/** The wire fields of each message to services, besides `type` and `signature`. Protocol section 2.2. */
import type { CanonicalId } from '../channel/canonical-id.ts';
import type { CapacityUpdate, FeeUpdate } from './pfs-update.ts';
import type { MonitoringRequest, ServiceMessage } from './service-message-types.ts';

type Wire = { [name: string]: string | boolean | null | string[][] | Wire };

/** Fields under the names that they have in JSON; integers as decimal text. */
export function wireFields(message: ServiceMessage): Wire {
  switch (message.type) {
    case 'PFSCapacityUpdate':
      return capacityUpdate(message);
    case 'PFSFeeUpdate':
      return feeUpdate(message);
    case 'RequestMonitoring':
      return monitoringRequest(message);
  }
}

function capacityUpdate(update: CapacityUpdate): Wire {
  return {
    canonical_identifier: canonicalId(update),
    updating_participant: update.updatingParticipant,
    other_participant: update.otherParticipant,
    updating_nonce: String(update.updatingNonce),
    other_nonce: String(update.otherNonce),
    updating_capacity: String(update.updatingCapacity),
    other_capacity: String(update.otherCapacity),
    reveal_timeout: String(update.revealTimeout),
  };
}

function feeUpdate({ schedule, ...update }: FeeUpdate): Wire {
  return {
    canonical_identifier: canonicalId(update),
    updating_participant: update.updatingParticipant,
    fee_schedule: {
      cap_fees: schedule.capFees,
      flat: String(schedule.flat),
      proportional: String(schedule.proportional),
      imbalance_penalty: schedule.imbalancePenalty?.map((point) => point.map(String)) ?? null,
    },
    timestamp: update.timestamp,
  };
}

function monitoringRequest({ proof, ...request }: MonitoringRequest): Wire {
  return {
    balance_proof: {
      chain_id: String(proof.chainId),
      token_network_address: proof.tokenNetwork,
      channel_identifier: String(proof.channelId),
      nonce: String(proof.nonce),
      balance_hash: proof.balanceHash,
      additional_hash: proof.additionalHash,
      signature: request.proofSignature,
    },
    non_closing_participant: request.nonClosingParticipant,
    non_closing_signature: request.nonClosingSignature,
    reward_amount: String(request.rewardAmount),
    monitoring_service_contract_address: request.monitoringService,
  };
}

function canonicalId({ chainId, tokenNetwork, channelId }: CanonicalId): Wire {
  return {
    chain_identifier: String(chainId),
    token_network_address: tokenNetwork,
    channel_identifier: String(channelId),
  };
}
