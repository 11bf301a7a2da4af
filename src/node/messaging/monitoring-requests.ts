/**
 * Requests to monitoring services: to bring the partner's newest balance proof on chain while this node is
 * off. Source: protocol sections 2.2 and 7.3.
 */
import type { ChannelContext } from '../../../machines/channel/context.ts';
import { updateDigest } from '../../protocol/balance-proof.ts';
import type { Address, Signature } from '../../protocol/hex.ts';
import type { ServiceMessage } from '../../protocol/service-message-types.ts';

type Reward = {
  /** The contract that pays it. */
  monitoringService: Address;
  /** In the service token's smallest unit. */
  amount: bigint;
};

type Options = {
  /** State and context of a channel; null when it is gone. */
  stateOf(id: string): { value: string; channel: ChannelContext } | null;
  sign(digest: Uint8Array): Signature;
  reward: Reward;
};

/** States in which the contract takes no balance proof any more. */
const OVER = ['settling', 'claiming', 'gone'];

/** The requests still have to be signed and sent by the caller. */
export function createMonitoringRequests({ stateOf, sign, reward }: Options) {
  /** The nonce up to which each channel is looked after. */
  const asked = new Map<string, bigint>();

  function requestOf(id: string): ServiceMessage[] {
    const state = stateOf(id);
    if (state === null || OVER.includes(state.value)) {
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
    /** For each of these channels that holds a newer balance proof than it was asked to protect. */
    changed: (ids: readonly string[]): ServiceMessage[] => ids.flatMap(requestOf),
    /** For each of these channels that holds one, whatever was asked before: it may not have been heard. */
    all(ids: readonly string[]): ServiceMessage[] {
      asked.clear();
      return ids.flatMap(requestOf);
    },
  };
}
