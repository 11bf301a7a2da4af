/**
 * The messages that nodes broadcast to path-finding and monitoring services, as text: one JSON object per line. They
 * were written by a stranger: nothing here throws. Source: protocol section 2.2.
 */

import type { Signature } from '../../basics/hex.ts';
import { isTimestamp } from '../../basics/timestamp.ts';
import { balanceProofDigest, updateDigest } from '../channel/balance-proof.ts';
import type { CanonicalId } from '../channel/canonical-id.ts';
import { isPenaltyCurve, type PenaltyCurve } from '../fees/fee-curve.ts';
import type { FeeSchedule } from '../fees/fees.ts';
import * as read from '../messages/message-fields.ts';
import {
  BATCH_LIMIT,
  type Batch,
  type Decoded,
  decodedLines,
  decodeLines,
  readLine,
  refusal,
} from '../wire/lines.ts';
import { capacityUpdateDigest, feeUpdateDigest } from './pfs-update.ts';
import { rewardProofDigest } from './reward-proof.ts';
import type {
  MonitoringRequest,
  ServiceMessage,
  ServiceMessageType,
  SignedServiceMessage,
} from './service-message-types.ts';
import { wireFields } from './service-writer.ts';

/** Most points of a penalty curve that is accepted; nodes make 21. */
export const MAX_PENALTY_POINTS = 100;

type Reading = read.Reading;

/** One line without its line break. */
export function encodeServiceMessage({ message, signature }: SignedServiceMessage): string {
  return JSON.stringify({ type: message.type, ...wireFields(message), signature });
}

/** The message in one line. The form of its signatures is checked, but not who signed. */
export function decodeServiceMessage(line: string | Uint8Array): Decoded<SignedServiceMessage> {
  const fields = readLine(line);
  if (!fields.ok) return fields;
  const type = fields.value['type'];
  if (!isServiceMessageType(type)) return refusal('unknown type');
  const reading: Reading = { fields: fields.value, wrong: null };
  const message = READERS[type](reading);
  const signature = read.signature(reading, 'signature');
  if (reading.wrong !== null) return refusal(`${type}: ${reading.wrong} is missing or malformed`);
  return { ok: true, value: { message, signature } };
}

/** The messages in lines of bytes, in their order; see `decodeLines`. */
export function decodeServiceMessages(
  payload: Uint8Array,
  limit = BATCH_LIMIT,
): Batch<SignedServiceMessage> {
  return decodeLines(payload, limit, decodeServiceMessage);
}

/** The same, one line after the other: none is decoded before it is asked for. */
export function* serviceMessagesIn(payload: Uint8Array): Generator<Decoded<SignedServiceMessage>> {
  for (const { decoded } of decodedLines(payload, BATCH_LIMIT, decodeServiceMessage)) yield decoded;
}

/**
 * The digest under the message's own `signature`. The signer has to be the updating participant, or that of a
 * monitoring request the non-closing one; whether that is a participant of the channel, only the chain tells.
 */
export function serviceMessageDigest(message: ServiceMessage): Uint8Array {
  switch (message.type) {
    case 'PFSCapacityUpdate':
      return capacityUpdateDigest(message);
    case 'PFSFeeUpdate':
      return feeUpdateDigest(message);
    case 'RequestMonitoring':
      return rewardProofDigest({
        ...message,
        chainId: message.proof.chainId,
        tokenNetwork: message.proof.tokenNetwork,
      });
  }
}

/** Reads what was broadcast. All of it follows from the bytes alone, so that several who hear them can share it. */
export type ServiceMessageReader = {
  messagesIn(payload: Uint8Array): Iterable<Decoded<SignedServiceMessage>>;
  digestOf(message: ServiceMessage): Uint8Array;
};
export const ownReader: ServiceMessageReader = {
  messagesIn: serviceMessagesIn,
  digestOf: serviceMessageDigest,
};

/**
 * The digests under the two signatures inside a monitoring request. All three signatures have to be checked: the
 * reward proof alone does not bind the balance proof.
 */
export function monitoringDigests({ proof, proofSignature }: MonitoringRequest) {
  return {
    /** Under `proofSignature`, by the partner. */
    proof: balanceProofDigest(proof),
    /** Under `nonClosingSignature`, by the non-closing participant. */
    update: updateDigest(proof, proofSignature),
  };
}

const READERS: {
  [T in ServiceMessageType]: (reading: Reading) => Extract<ServiceMessage, { type: T }>;
} = {
  PFSCapacityUpdate: (reading) => ({
    type: 'PFSCapacityUpdate',
    ...read.object(reading, 'canonical_identifier', canonicalId),
    updatingParticipant: read.address(reading, 'updating_participant'),
    otherParticipant: read.address(reading, 'other_participant'),
    updatingNonce: read.uint64(reading, 'updating_nonce'),
    otherNonce: read.uint64(reading, 'other_nonce'),
    updatingCapacity: read.uint256(reading, 'updating_capacity'),
    otherCapacity: read.uint256(reading, 'other_capacity'),
    revealTimeout: read.uint256(reading, 'reveal_timeout'),
  }),
  PFSFeeUpdate: (reading) => ({
    type: 'PFSFeeUpdate',
    ...read.object(reading, 'canonical_identifier', canonicalId),
    updatingParticipant: read.address(reading, 'updating_participant'),
    schedule: read.object(reading, 'fee_schedule', schedule),
    timestamp: timestamp(reading, 'timestamp'),
  }),
  RequestMonitoring: (reading) => ({
    type: 'RequestMonitoring',
    ...read.object(reading, 'balance_proof', closingProof),
    nonClosingParticipant: read.address(reading, 'non_closing_participant'),
    nonClosingSignature: givenSignature(reading, 'non_closing_signature'),
    rewardAmount: read.uint256(reading, 'reward_amount'),
    monitoringService: read.address(reading, 'monitoring_service_contract_address'),
  }),
};

function isServiceMessageType(type: unknown): type is ServiceMessageType {
  return typeof type === 'string' && Object.hasOwn(READERS, type);
}

function canonicalId(reading: Reading): CanonicalId {
  return {
    chainId: read.uint256(reading, 'chain_identifier'),
    tokenNetwork: read.address(reading, 'token_network_address'),
    channelId: read.channelId(reading, 'channel_identifier'),
  };
}

function schedule(reading: Reading): FeeSchedule {
  return {
    capFees: read.flag(reading, 'cap_fees'),
    flat: read.uint256(reading, 'flat'),
    proportional: read.uint256(reading, 'proportional'),
    imbalancePenalty: penaltyCurve(reading, 'imbalance_penalty'),
  };
}

/** Absent and null mean that there is no penalty curve. */
function penaltyCurve(reading: Reading, name: string): PenaltyCurve | null {
  const given = reading.fields[name];
  if (given == null) return null;
  if (!Array.isArray(given) || given.length > MAX_PENALTY_POINTS)
    return read.refuse(reading, name, null);
  const inner: Reading = { fields: {}, wrong: null };
  const curve = given.map((point: unknown) => penaltyPoint(inner, point));
  const isGood = inner.wrong === null && isPenaltyCurve(curve);
  return isGood ? curve : read.refuse(reading, name, null);
}

function penaltyPoint(reading: Reading, point: unknown): readonly [bigint, bigint] {
  if (!Array.isArray(point) || point.length !== 2)
    return read.refuse(reading, 'point', [0n, 0n] as const);
  const pair: Reading = { fields: { balance: point[0], penalty: point[1] }, wrong: null };
  const value = [read.uint256(pair, 'balance'), read.uint256(pair, 'penalty')] as const;
  return pair.wrong === null ? value : read.refuse(reading, 'point', value);
}

function timestamp(reading: Reading, name: string): string {
  const given = reading.fields[name];
  return isTimestamp(given) ? given : read.refuse(reading, name, '');
}

function closingProof(reading: Reading): Pick<MonitoringRequest, 'proof' | 'proofSignature'> {
  return {
    proof: {
      chainId: read.uint256(reading, 'chain_id'),
      tokenNetwork: read.address(reading, 'token_network_address'),
      channelId: read.channelId(reading, 'channel_identifier'),
      nonce: read.positive(reading, 'nonce', read.uint64(reading, 'nonce')),
      balanceHash: read.bytes32(reading, 'balance_hash'),
      additionalHash: read.bytes32(reading, 'additional_hash'),
    },
    proofSignature: givenSignature(reading, 'signature'),
  };
}

/**
 * A signature that is kept byte for byte, since another signature covers it. 65 zero bytes, which stand for a proof
 * that nobody has signed, are refused.
 */
function givenSignature(reading: Reading, name: string): Signature {
  const value = read.quotedSignature(reading, name);
  return BigInt(value) === 0n ? read.refuse(reading, name, value) : value;
}
