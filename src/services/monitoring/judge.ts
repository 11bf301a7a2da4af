/** Judges whether a request to monitor is kept. Pure: it checks the signatures; the facts are given to it. */
import { type Address, fromHex, type Signature, ZERO_HASH } from '../../basics/hex.ts';
import {
  type MonitoringRequest,
  monitoringDigests,
} from '../../protocol/services/monitoring-request.ts';
import type { SignedServiceMessage } from '../../protocol/services/service-message-types.ts';
import { serviceMessageDigest } from '../../protocol/services/service-messages.ts';
import { takesRequests } from './window.ts';

export type MonitoringTerms = {
  chainId: bigint;
  /** The contract that pays the rewards. */
  monitoringService: Address;
  /** In the service token's smallest unit. */
  minReward: bigint;
  recover(digest: Uint8Array, signature: Uint8Array): Address | null;
};
export type KnownChannel = {
  isTokenNetwork: boolean;
  /** Null when the channel is unknown or settled. `close`: its close, as far as it is confirmed. */
  channel: {
    participants: readonly [Address, Address];
    close: { block: bigint; closing: Address } | null;
  } | null;
  /** The nonce of the request that is kept for the same participant; 0 when there is none. */
  nonce: bigint;
  confirmedBlock: bigint;
};
/** Why a request is dropped, each to be counted from nothing. */
export const NO_REFUSALS = {
  other_chain: 0,
  other_contract: 0,
  unknown_token_network: 0,
  reward_too_low: 0,
  empty_proof: 0,
  old_nonce: 0,
  wrong_signature: 0,
  stranger: 0,
  closed_long_ago: 0,
  closed_by_requester: 0,
};
export type RequestRefusal = keyof typeof NO_REFUSALS;
export type RequestVerdict =
  /** `partner`: who signed the balance proof. */
  { kind: 'keep' | 'wait'; partner: Address } | { kind: 'refuse'; reason: RequestRefusal };
type Signed = SignedServiceMessage & { message: { type: 'RequestMonitoring' } };

/** `wait`: the request is valid, but its channel is not known (yet). Cheap checks come first. */
export function judge(
  { message, signature }: Signed,
  terms: MonitoringTerms,
  known: KnownChannel,
): RequestVerdict {
  const reason = cheapRefusal(message, terms, known);
  if (reason !== null) return { kind: 'refuse', reason };
  const own = message.nonClosingParticipant;
  const signer = (digest: Uint8Array, by: Signature) => terms.recover(digest, fromHex(by));
  const digests = monitoringDigests(message);
  const partner = signer(digests.proof, message.proofSignature);
  // The reward proof alone does not cover the balance proof: anybody who sees it could combine it with another one.
  const isConsented =
    signer(digests.update, message.nonClosingSignature) === own &&
    signer(serviceMessageDigest(message), signature) === own;
  if (partner === null || partner === own || !isConsented)
    return { kind: 'refuse', reason: 'wrong_signature' };
  if (known.channel === null) return { kind: 'wait', partner };
  if (!known.channel.participants.includes(partner))
    return { kind: 'refuse', reason: 'wrong_signature' };
  return { kind: 'keep', partner };
}

/** What is wrong with a request apart from its signatures, or null: found without any arithmetic on the curve. */
export function cheapRefusal(
  message: MonitoringRequest,
  terms: MonitoringTerms,
  known: KnownChannel,
): RequestRefusal | null {
  return termsRefusal(message, terms, known) ?? channelRefusal(message, known);
}

function termsRefusal(
  message: MonitoringRequest,
  terms: MonitoringTerms,
  known: KnownChannel,
): RequestRefusal | null {
  const { proof } = message;
  if (proof.chainId !== terms.chainId) return 'other_chain';
  if (message.monitoringService !== terms.monitoringService) return 'other_contract';
  if (!known.isTokenNetwork) return 'unknown_token_network';
  if (message.rewardAmount < terms.minReward) return 'reward_too_low';
  // The contract accepts no update with the zero hash, which says that nothing was ever sent.
  if (proof.balanceHash === ZERO_HASH) return 'empty_proof';
  return proof.nonce <= known.nonce ? 'old_nonce' : null;
}

function channelRefusal(message: MonitoringRequest, known: KnownChannel): RequestRefusal | null {
  const { channel } = known;
  if (channel === null) return null;
  if (!channel.participants.includes(message.nonClosingParticipant)) return 'stranger';
  if (channel.close === null) return null;
  if (!takesRequests(channel.close.block, known.confirmedBlock)) return 'closed_long_ago';
  return channel.close.closing === message.nonClosingParticipant ? 'closed_by_requester' : null;
}
