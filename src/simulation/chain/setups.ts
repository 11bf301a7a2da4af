/** The transactions that set the chain up, until they are mined: executed first in the next block, as if signed. */
import type { Address, Hash } from '../../basics/hex.ts';
import type { Message } from './machine.ts';
import { setupTransaction, type Transaction } from './transaction.ts';

/** `nonceOf`: the next nonce of an account on chain. */
export function createSetups(chainId: number, nonceOf: (owner: Address) => number) {
  let waiting: Transaction[] = [];
  const nonces = new Map<Address, number>();
  /** Transactions that may revert, as the caller wants to see whether they do. */
  const trials = new Set<Hash>();

  return {
    add(message: Message, arrivedBlock: bigint, order: number, isTrial: boolean): Hash {
      const nonce = nonces.get(message.from) ?? nonceOf(message.from);
      nonces.set(message.from, nonce + 1);
      const transaction = setupTransaction(message, { nonce, chainId, arrivedBlock, order });
      waiting.push(transaction);
      if (isTrial) trials.add(transaction.hash);
      return transaction.hash;
    },
    isTrial: (hash: Hash): boolean => trials.has(hash),
    /** Those that wait, which the caller executes. */
    take(): Transaction[] {
      const taken = waiting;
      waiting = [];
      nonces.clear();
      return taken;
    },
  };
}
