/** What is hashed and what is signed of each partner message. Source: protocol sections 2.2 and 2.3. */
import { type BalanceProof, balanceHash, packBalanceProof } from './balance-proof.ts';
import { keccakHex, personalHash } from './hash.ts';
import { fromHex, type Hash } from './hex.ts';
import type { EnvelopeMessage, LockedTransfer, Message, RefundTransfer, Sync } from './messages.ts';
import { metadataHash } from './metadata.ts';
import { type Field, pack } from './packing.ts';
import { packWithdraw, withdrawFields } from './withdraw.ts';

/** First byte of a packing; the numbers are the protocol's, except the one of our own Sync. */
const COMMAND = {
  Processed: 0,
  SecretRequest: 3,
  Unlock: 4,
  LockedTransfer: 7,
  RefundTransfer: 8,
  RevealSecret: 11,
  Delivered: 12,
  LockExpired: 13,
  WithdrawExpired: 17,
  Sync: 200,
} as const;

/** The hash in the last word of the balance proof: it binds the fields that the contract does not know. */
export function additionalHash(message: EnvelopeMessage): Hash {
  return keccakHex(packAdditional(message));
}

/** The bytes behind `additionalHash`. No padding follows the command byte here. */
export function packAdditional(message: EnvelopeMessage): Uint8Array {
  switch (message.type) {
    case 'LockedTransfer':
      return pack([...transferFields(message), ['bytes32', metadataHash(message.metadata)]]);
    case 'RefundTransfer':
      return pack(transferFields(message));
    case 'Unlock':
      return pack([
        ['u8', COMMAND.Unlock],
        ['u64', message.messageId],
        ['u64', message.paymentId],
        ['bytes32', message.secret],
      ]);
    case 'LockExpired':
      return pack([
        ['u8', COMMAND.LockExpired],
        ['u64', message.messageId],
        ['address', message.recipient],
        ['bytes32', message.secrethash],
      ]);
  }
}

function transferFields(message: LockedTransfer | RefundTransfer): Field[] {
  return [
    ['u8', COMMAND[message.type]],
    ['u64', message.messageId],
    ['u64', message.paymentId],
    ['u256', message.lock.expiration],
    ['address', message.token],
    ['address', message.recipient],
    ['address', message.target],
    ['address', message.initiator],
    ['bytes32', message.lock.secrethash],
    ['u256', message.lock.amount],
  ];
}

/** The balance proof that an envelope message is; its signature is good on chain for this. */
export function balanceProofOf(message: EnvelopeMessage): BalanceProof {
  return {
    chainId: message.chainId,
    tokenNetwork: message.tokenNetwork,
    channelId: message.channelId,
    balanceHash: balanceHash(message),
    nonce: message.nonce,
    additionalHash: additionalHash(message),
  };
}

/** The 32 bytes that the sender of a message signs. */
export function signingDigest(message: Message): Uint8Array {
  return personalHash(packMessage(message));
}

/**
 * The bytes that the sender of a message signs (as `personalHash` of them). Not covered: nonce and
 * message identifier of WithdrawRequest and WithdrawConfirmation, whose signature goes on chain.
 */
export function packMessage(message: Message): Uint8Array {
  switch (message.type) {
    case 'LockedTransfer':
    case 'RefundTransfer':
    case 'Unlock':
    case 'LockExpired':
      return packBalanceProof(balanceProofOf(message));
    case 'Delivered':
      return pack(opening(message.type, message.deliveredMessageId));
    case 'Processed':
      return pack(opening(message.type, message.messageId));
    case 'SecretRequest':
      return pack([
        ...opening(message.type, message.messageId),
        ['u64', message.paymentId],
        ['bytes32', message.secrethash],
        ['u256', message.amount],
        ['u256', message.expiration],
      ]);
    case 'RevealSecret':
      return pack([...opening(message.type, message.messageId), ['bytes32', message.secret]]);
    case 'WithdrawRequest':
    case 'WithdrawConfirmation':
      return packWithdraw(message);
    case 'WithdrawExpired':
      return pack([
        ...command(message.type),
        ['u256', message.nonce],
        ['u64', message.messageId],
        ...withdrawFields(message),
      ]);
    case 'Sync':
      return packSync(message);
  }
}

function packSync(message: Sync): Uint8Array {
  return pack([
    ...opening(message.type, message.messageId),
    ['u256', message.chainId],
    ['address', message.tokenNetwork],
    ['u256', message.channelId],
    ['u64', message.signedNonce],
    ['u64', message.acceptedNonce],
    ['bytes32', message.balanceHash],
    ['bytes32', message.additionalHash],
    ['bytes32', keccakHex(fromHex(message.proofSignature))],
    ['u8', message.answer ? 1 : 0],
  ]);
}

function opening(type: keyof typeof COMMAND, messageId: bigint): Field[] {
  return [...command(type), ['u64', messageId]];
}

/** The command byte and the three zero bytes that fill its word of four. */
function command(type: keyof typeof COMMAND): Field[] {
  return [
    ['u8', COMMAND[type]],
    ['u8', 0],
    ['u8', 0],
    ['u8', 0],
  ];
}
