/** Fields that several partner messages share. */
import {
  address,
  bytes32,
  channelId,
  messageId,
  positive,
  tokenNetwork,
  uint256,
} from './kinds.ts';

/** The channel that the message is about. */
export const ofChannel = { messageId, chainId: uint256, tokenNetwork, channelId };

/** The part of a message that becomes a balance proof on chain. */
export const envelope = {
  ...ofChannel,
  nonce: positive,
  transferredAmount: uint256,
  lockedAmount: uint256,
  locksroot: bytes32,
};

/**
 * Fields that the three withdraw messages share. Only the seal covers their nonce and message identifier: the
 * signature of a request or a confirmation has to be valid on chain, and the contract does not know these fields.
 */
export const withdraw = {
  ...ofChannel,
  participant: address,
  totalWithdraw: uint256,
  nonce: positive,
  expiration: uint256,
};
