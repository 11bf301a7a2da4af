/** What became of transactions that were sent: their receipts, and who used a nonce that is not ours any more. */
import { TransactionReceiptNotFoundError } from 'viem';
import type { Fault } from '../../basics/fault.ts';
import type { Hash } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';
import type { Market } from './fees.ts';
import type { TransactionSigner } from './jobs.ts';
import { findNonceUse } from './nonces.ts';
import { contentOf, type Mined, type PendingTransaction } from './pending-transaction.ts';

type Needs = {
  client: ChainClient;
  account: Pick<TransactionSigner, 'address'>;
  confirmations: bigint;
  fault: Fault;
  /** Runs work that must not fail. */
  must: <T>(act: () => T | Promise<T>) => Promise<T>;
};

export function createOutcomes({ client, account, confirmations, must, fault }: Needs) {
  const { address } = account;

  async function receiptOf(hash: Hash): Promise<Mined | null> {
    try {
      const receipt = await client.getTransactionReceipt({ hash });
      const { transactionHash, blockNumber, blockHash, from } = receipt;
      if (transactionHash !== hash || from.toLowerCase() !== address.toLowerCase()) {
        throw new Error('the receipt of another transaction');
      }
      return { hash, block: blockNumber, blockHash, isSuccess: receipt.status === 'success' };
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  }

  async function findReceipt(pending: PendingTransaction, market: Market): Promise<void> {
    const wasMined = pending.mined !== null;
    pending.checkedBlock = market.headBlock;
    for (const hash of pending.hashes.toReversed()) {
      const mined = await receiptOf(hash);
      if (mined === null) continue;
      pending.mined = mined;
      pending.lostSince = null;
      pending.isConfirmed = market.headBlock >= mined.block + confirmations;
      if (!wasMined) await must(() => fault('transaction.mined'));
      return;
    }
    // A reorganisation took it back: it is sent again.
    pending.mined = null;
    if (wasMined) pending.sentBlock = pending.waitingSince = null;
  }

  /** The nonce is used up: finds out whether by a version of ours, or by another program with this key. */
  async function resolve(pending: PendingTransaction, market: Market): Promise<void> {
    await findReceipt(pending, market);
    if (pending.mined !== null) return;
    pending.lostSince ??= market.headBlock;
    // An endpoint without old states cannot tell who used the nonce; after this long, our transaction is surely lost.
    const isGone = market.headBlock - pending.lostSince > 2n * confirmations;
    const use = await findNonceUse(client, address, pending.row.nonce, market.headBlock).catch(
      (error: unknown) => {
        if (!isGone) throw error;
        return null;
      },
    );
    if (use === null) pending.isTaken = isGone;
    if (use === null || pending.hashes.includes(use.hash)) return;
    const content = contentOf(pending.row);
    const isOurs = use.to?.toLowerCase() === content.to.toLowerCase() && use.data === content.data;
    // It is an earlier version of ours, whose hash was lost at a restart.
    if (isOurs) pending.hashes = [use.hash, ...pending.hashes];
    if (isOurs) await findReceipt(pending, market);
    else pending.isTaken = true;
  }

  return { receiptOf, findReceipt, resolve };
}
