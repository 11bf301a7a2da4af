/**
 * The bytes that are hashed and those that are signed of the partner messages that contracts read. Source: protocol
 * sections 2.2 and 2.3.
 */

import type { Hash } from '../../basics/hex.ts';
import { type BalanceProof, balanceHash, packBalanceProof } from '../channel/balance-proof.ts';
import { packWithdraw } from '../channel/withdraw.ts';
import { keccakHex, personalHash } from '../hash.ts';
import {
  type ContractMessage,
  type EnvelopeMessage,
  isEnvelope,
  packAdditional,
} from '../messages/table.ts';

/** The hash in the last word of the balance proof: it binds the fields that the contract does not know. */
export function additionalHash(message: EnvelopeMessage): Hash {
  return keccakHex(packAdditional(message));
}

/** The balance proof that an envelope message makes; the message's signature is valid for it on chain. */
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
  return isEnvelope(message) ? packBalanceProof(balanceProofOf(message)) : packWithdraw(message);
}
