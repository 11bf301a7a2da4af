/** Fields that several partner messages share. */

import type { Address, Hash } from '../../basics/hex.ts';
import type { CanonicalId } from '../channel/canonical-id.ts';
import type { Wire } from './definition.ts';
import * as read from './message-fields.ts';

type OfChannel = CanonicalId & { messageId: bigint };

/** The part of a message that becomes a balance proof on chain. */
export type Envelope = OfChannel & {
  nonce: bigint;
  transferredAmount: bigint;
  lockedAmount: bigint;
  locksroot: Hash;
};

/**
 * Fields that the three withdraw messages share. Only the seal covers their nonce and message identifier: the
 * signature of a request or a confirmation has to be valid on chain, and the contract does not know these fields.
 */
export type WithdrawFields = OfChannel & {
  participant: Address;
  totalWithdraw: bigint;
  nonce: bigint;
  expiration: bigint;
};

export function readChannel(reading: read.Reading): OfChannel {
  return {
    messageId: read.uint64(reading, 'message_identifier'),
    chainId: read.uint256(reading, 'chain_id'),
    tokenNetwork: read.address(reading, 'token_network_address'),
    channelId: read.channelId(reading, 'channel_identifier'),
  };
}

export function writeChannel(message: OfChannel): Wire {
  return {
    message_identifier: String(message.messageId),
    chain_id: String(message.chainId),
    token_network_address: message.tokenNetwork,
    channel_identifier: String(message.channelId),
  };
}

export function readEnvelope(reading: read.Reading): Envelope {
  return {
    ...readChannel(reading),
    nonce: read.positive(reading, 'nonce', read.uint64(reading, 'nonce')),
    transferredAmount: read.uint256(reading, 'transferred_amount'),
    lockedAmount: read.uint256(reading, 'locked_amount'),
    locksroot: read.bytes32(reading, 'locksroot'),
  };
}

export function writeEnvelope(message: Envelope): Wire {
  return {
    ...writeChannel(message),
    nonce: String(message.nonce),
    transferred_amount: String(message.transferredAmount),
    locked_amount: String(message.lockedAmount),
    locksroot: message.locksroot,
  };
}

export function readWithdraw(reading: read.Reading): WithdrawFields {
  return {
    ...readChannel(reading),
    participant: read.address(reading, 'participant'),
    totalWithdraw: read.uint256(reading, 'total_withdraw'),
    nonce: read.positive(reading, 'nonce', read.uint64(reading, 'nonce')),
    expiration: read.uint256(reading, 'expiration'),
  };
}

export function writeWithdraw(message: WithdrawFields): Wire {
  return {
    ...writeChannel(message),
    participant: message.participant,
    total_withdraw: String(message.totalWithdraw),
    nonce: String(message.nonce),
    expiration: String(message.expiration),
  };
}
