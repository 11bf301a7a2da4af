/** What is hashed and what is signed of the partner messages that contracts read. Source: protocol sections 2.2 and 2.3. */
import { type BalanceProof, balanceHash, packBalanceProof } from './balance-proof.ts';
import { keccakHex, personalHash } from './hash.ts';
import type { Hash } from './hex.ts';
import type {
  ContractMessage,
  EnvelopeMessage,
  LockedTransfer,
  RefundTransfer,
} from './messages.ts';
import { metadataHash } from './metadata.ts';
import { type Field, pack } from './packing.ts';
import { packWithdraw } from './withdraw.ts';

/** First byte of what a message adds to its balance proof; the numbers are the protocol's. */
const COMMAND = {
  Unlock: 4,
  LockedTransfer: 7,
  RefundTransfer: 8,
  LockExpired: 13,
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
function balanceProofOf(message: EnvelopeMessage): BalanceProof {
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
export function signingDigest(message: ContractMessage): Uint8Array {
  return personalHash(packMessage(message));
}

/**
 * The bytes that the sender of a message signs (as `personalHash` of them). Not covered: nonce and
 * message identifier of WithdrawRequest and WithdrawConfirmation, whose signature goes on chain.
 */
export function packMessage(message: ContractMessage): Uint8Array {
  switch (message.type) {
    case 'LockedTransfer':
    case 'RefundTransfer':
    case 'Unlock':
    case 'LockExpired':
      return packBalanceProof(balanceProofOf(message));
    case 'WithdrawRequest':
    case 'WithdrawConfirmation':
      return packWithdraw(message);
  }
}
