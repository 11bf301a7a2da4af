/**
 * Requests to monitoring services to bring the partner's newest balance proof on chain while this node is offline.
 * Source: protocol sections 2.2 and 7.3.
 */
import type { ChannelContext, ChannelTag } from '../../../machines/channel/context.ts';
import type { Tags } from '../../../machines/tags.ts';
import type { Address, Signature } from '../../basics/hex.ts';
import { updateDigest } from '../../protocol/channel/balance-proof.ts';
import type { ServiceMessage } from '../../protocol/services/service-message-types.ts';

type Reward = {
  /** The contract that pays the reward. */
  monitoringService: Address;
  /** In the service token's smallest unit. */
  amount: bigint;
};

type Options = {
  /** The tags of a channel's state and its context; null when it is gone. */
  stateOf(id: string): { tags: Tags<ChannelTag>; channel: ChannelContext } | null;
  sign(digest: Uint8Array): Signature;
  reward: Reward;
};

/** The requests still have to be signed and sent by the caller. */
export function createMonitoringRequests({ stateOf, sign, reward }: Options) {
  /** The nonce of the balance proof up to which services were asked to protect each channel. */
  const asked = new Map<string, bigint>();

  function requestOf(id: string): ServiceMessage[] {
    const state = stateOf(id);
    if (state === null || !state.tags.has('takesProofs')) {
      asked.delete(id);
      return [];
    }
    const { partnerProof, own, ...channel } = state.channel;
    if (partnerProof === null || partnerProof.nonce <= (asked.get(id) ?? 0n)) return [];
    asked.set(id, partnerProof.nonce);
    const { nonce, balanceHash, additionalHash, signature } = partnerProof;
    const { chainId, tokenNetwork, channelId } = channel;
    const proof = { chainId, tokenNetwork, channelId, nonce, balanceHash, additionalHash };
    return [
      {
        type: 'RequestMonitoring',
        proof,
        proofSignature: signature,
        nonClosingParticipant: own,
        nonClosingSignature: sign(updateDigest(proof, signature)),
        rewardAmount: reward.amount,
        monitoringService: reward.monitoringService,
      },
    ];
  }

  return {
    /** Requests for those of these channels that hold a newer balance proof than the one last asked for. */
    changed: (ids: readonly string[]): ServiceMessage[] => ids.flatMap(requestOf),
    /** Requests for all of these channels that hold a balance proof: earlier requests may not have been received. */
    all(ids: readonly string[]): ServiceMessage[] {
      asked.clear();
      return ids.flatMap(requestOf);
    },
  };
}
