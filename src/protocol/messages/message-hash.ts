/**
 * The bytes that are hashed and those that are signed of the partner messages that contracts read. Source: protocol
 * sections 2.2 and 2.3.
 */

import type { Hash } from '../../basics/hex.ts';
import { type BalanceProof, balanceHash, packBalanceProof } from '../channel/balance-proof.ts';
import { packWithdraw } from '../channel/withdraw.ts';
import { keccakHex, personalHash } from '../hash.ts';
import type { ContractMessage } from './table.ts';
import { packAdditional, type Update } from './update.ts';

// Asked for when the signature is made or checked, and again for the proof that is kept. Messages are never changed.
const additional = new WeakMap<Update, Hash>();

/** The hash in the last word of the balance proof: it binds the fields that the contract does not know. */
export function additionalHash(message: Update): Hash {
  const known = additional.get(message);
  if (known !== undefined) return known;
  const hash = keccakHex(packAdditional(message));
  additional.set(message, hash);
  return hash;
}

/** The balance proof that an Update makes; the message's signature is valid for it on chain. */
function balanceProofOf(message: Update): BalanceProof {
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
  return message.type === 'Update'
    ? packBalanceProof(balanceProofOf(message))
    : packWithdraw(message);
}
