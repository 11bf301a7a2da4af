/** Each message out of its wire fields. Wrong fields are noted in the reading, see message-fields.ts. */
import { EMPTY_SIGNATURE } from './balance-proof.ts';
import { ZERO_HASH } from './hex.ts';
import * as read from './message-fields.ts';
import type {
  CanonicalId,
  Envelope,
  LockedTransfer,
  Message,
  MessageType,
  Sync,
  WithdrawFields,
} from './messages.ts';

/** Largest metadata, in bytes of its canonical text. */
export const MAX_METADATA_BYTES = 16 * 1024;

type Reading = read.Reading;

const READERS: { [T in MessageType]: (reading: Reading) => Extract<Message, { type: T }> } = {
  LockedTransfer: (reading) => ({ type: 'LockedTransfer', ...transfer(reading) }),
  RefundTransfer: (reading) => ({ type: 'RefundTransfer', ...transfer(reading) }),
  Unlock: (reading) => ({
    type: 'Unlock',
    ...envelope(reading),
    paymentId: read.uint64(reading, 'payment_identifier'),
    secret: read.bytes32(reading, 'secret'),
  }),
  LockExpired: (reading) => ({
    type: 'LockExpired',
    ...envelope(reading),
    recipient: read.address(reading, 'recipient'),
    secrethash: read.bytes32(reading, 'secrethash'),
  }),
  Delivered: (reading) => ({
    type: 'Delivered',
    deliveredMessageId: read.uint64(reading, 'delivered_message_identifier'),
  }),
  Processed: (reading) => ({
    type: 'Processed',
    messageId: read.uint64(reading, 'message_identifier'),
  }),
  SecretRequest: (reading) => ({
    type: 'SecretRequest',
    messageId: read.uint64(reading, 'message_identifier'),
    paymentId: read.uint64(reading, 'payment_identifier'),
    secrethash: read.bytes32(reading, 'secrethash'),
    amount: read.uint256(reading, 'amount'),
    expiration: read.uint256(reading, 'expiration'),
  }),
  RevealSecret: (reading) => ({
    type: 'RevealSecret',
    messageId: read.uint64(reading, 'message_identifier'),
    secret: read.bytes32(reading, 'secret'),
  }),
  WithdrawRequest: (reading) => ({
    type: 'WithdrawRequest',
    ...withdraw(reading),
    coopSettle: read.optionalFlag(reading, 'coop_settle'),
  }),
  WithdrawConfirmation: (reading) => ({ type: 'WithdrawConfirmation', ...withdraw(reading) }),
  WithdrawExpired: (reading) => ({ type: 'WithdrawExpired', ...withdraw(reading) }),
  Sync: sync,
};

/** Whether `type` names a message that partners exchange. */
export function isMessageType(type: unknown): type is MessageType {
  return typeof type === 'string' && Object.hasOwn(READERS, type);
}

/** The message of that type; good only if the reading then says that nothing was wrong. */
export function readMessage(reading: Reading, type: MessageType): Message {
  return READERS[type](reading);
}

function channel(reading: Reading): CanonicalId & { messageId: bigint } {
  return {
    messageId: read.uint64(reading, 'message_identifier'),
    chainId: read.uint256(reading, 'chain_id'),
    tokenNetwork: read.address(reading, 'token_network_address'),
    channelId: read.channelId(reading, 'channel_identifier'),
  };
}

function envelope(reading: Reading): Envelope {
  return {
    ...channel(reading),
    nonce: read.positive(reading, 'nonce', read.uint64(reading, 'nonce')),
    transferredAmount: read.uint256(reading, 'transferred_amount'),
    lockedAmount: read.uint256(reading, 'locked_amount'),
    locksroot: read.bytes32(reading, 'locksroot'),
  };
}

function transfer(reading: Reading): Omit<LockedTransfer, 'type'> {
  return {
    ...envelope(reading),
    paymentId: read.uint64(reading, 'payment_identifier'),
    token: read.address(reading, 'token'),
    recipient: read.address(reading, 'recipient'),
    target: read.address(reading, 'target'),
    initiator: read.address(reading, 'initiator'),
    lock: read.lock(reading, 'lock'),
    metadata: read.metadata(reading, 'metadata', MAX_METADATA_BYTES),
  };
}

function withdraw(reading: Reading): WithdrawFields {
  return {
    ...channel(reading),
    participant: read.address(reading, 'participant'),
    totalWithdraw: read.uint256(reading, 'total_withdraw'),
    nonce: read.positive(reading, 'nonce', read.uint64(reading, 'nonce')),
    expiration: read.uint256(reading, 'expiration'),
  };
}

function sync(reading: Reading): Sync {
  const message: Sync = {
    type: 'Sync',
    ...channel(reading),
    signedNonce: read.uint64(reading, 'signed_nonce'),
    acceptedNonce: read.uint64(reading, 'accepted_nonce'),
    balanceHash: read.bytes32(reading, 'balance_hash'),
    additionalHash: read.bytes32(reading, 'additional_hash'),
    proofSignature: read.quotedSignature(reading, 'proof_signature'),
    answer: read.flag(reading, 'answer'),
  };
  return hasFittingProof(message) ? message : read.refuse(reading, 'proof_signature', message);
}

/** A nonce above 0 comes with the signature that proves it; nonce 0 with nothing at all. */
function hasFittingProof(message: Sync): boolean {
  const { acceptedNonce, balanceHash, additionalHash, proofSignature } = message;
  const hasSignature = proofSignature !== EMPTY_SIGNATURE;
  if (acceptedNonce > 0n) return hasSignature;
  return !hasSignature && balanceHash === ZERO_HASH && additionalHash === ZERO_HASH;
}
