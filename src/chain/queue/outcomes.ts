/** What became of transactions that were sent: their receipts, and who used a nonce that is not ours any more. */
import { TransactionNotFoundError, TransactionReceiptNotFoundError } from 'viem';
import type { Fault } from '../../basics/fault.ts';
import type { Address, Hash, Hex } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';
import { describe } from '../describe.ts';
import { type ChainErrorKind, classify } from '../errors.ts';
import type { Market } from './fees.ts';
import type { TransactionSigner } from './jobs.ts';
import { type Mined, type PendingTransaction, signedContentOf } from './pending-transaction.ts';

type Needs = {
  client: ChainClient;
  account: Pick<TransactionSigner, 'address'>;
  confirmations: bigint;
  fault: Fault;
  /** Runs work that must not fail. */
  must: <T>(act: () => T | Promise<T>) => Promise<T>;
  /** Whether such work has failed. */
  isBroken: () => boolean;
  onRefused: (pending: PendingTransaction, kind: ChainErrorKind, detail: string) => void;
};

export function createOutcomes({ client, account, confirmations, must, ...needs }: Needs) {
  const { fault, isBroken, onRefused } = needs;
  const { address } = account;

  async function receiptOf(hash: Hash): Promise<Mined | null> {
    try {
      const receipt = await client.getTransactionReceipt({ hash });
      const { transactionHash, blockNumber, blockHash, from } = receipt;
      if (transactionHash !== hash || from.toLowerCase() !== address.toLowerCase()) {
        throw new Error('the receipt of another transaction');
      }
      const wei = receipt.gasUsed * receipt.effectiveGasPrice;
      return { hash, block: blockNumber, blockHash, isSuccess: receipt.status === 'success', wei };
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return null;
      throw error;
    }
  }

  async function findReceipt(pending: PendingTransaction, market: Market): Promise<void> {
    const wasMined = pending.mined !== null;
    pending.checkedHead = market.headHash;
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
    const content = signedContentOf(pending.row);
    const isOurs = use.to?.toLowerCase() === content.to.toLowerCase() && use.data === content.data;
    // It is an earlier version of ours, whose hash was lost at a restart.
    if (isOurs) pending.hashes = [use.hash, ...pending.hashes];
    if (isOurs) await findReceipt(pending, market);
    else pending.isTaken = true;
  }

  async function isCleared({ cleared }: PendingTransaction): Promise<boolean> {
    for (const hash of cleared.toReversed()) if ((await receiptOf(hash)) !== null) return true;
    return false;
  }

  return {
    receiptOf,
    findReceipt,
    /**
     * Finds out what became of one whose nonce is used up; `isOthers`: by one of ours that is mined. An endpoint that does not
     * tell keeps only this one waiting, and not what is to be sent.
     */
    async settle(pending: PendingTransaction, market: Market, isOthers: boolean): Promise<void> {
      try {
        if (isOthers || (await isCleared(pending))) pending.isTaken = true;
        else await resolve(pending, market);
      } catch (error) {
        if (isBroken()) throw error;
        onRefused(pending, classify(error), describe(error));
      }
    },
  };
}

type NonceUse = { hash: Hash; to: Address | null; data: Hex };

/**
 * Looks through the account's nonces, block by block, for the transaction that carried `nonce`. Null
 * when the endpoint's answers do not show it (yet). Rejects with viem's error, also when the endpoint no
 * longer knows the states of the blocks in question.
 */
export async function findNonceUse(
  client: ChainClient,
  address: Address,
  nonce: number,
  headBlock: bigint,
): Promise<NonceUse | null> {
  const isUsedAt = async (blockNumber: bigint) =>
    (await client.getTransactionCount({ address, blockNumber })) > nonce;
  if (!(await isUsedAt(headBlock))) return null;

  // Goes back in growing steps to a block where the nonce was free, then halves the range in between.
  let used = headBlock;
  let free = -1n;
  for (let step = 1n; used > 0n && free < 0n; step *= 2n) {
    const at = used > step ? used - step : 0n;
    if (await isUsedAt(at)) used = at;
    else free = at;
  }
  while (used - free > 1n) {
    const middle = (used + free) / 2n;
    if (await isUsedAt(middle)) used = middle;
    else free = middle;
  }
  const block = await client.getBlock({ blockNumber: used, includeTransactions: true });
  const found = block.transactions.find(
    (transaction) =>
      transaction.nonce === nonce && transaction.from.toLowerCase() === address.toLowerCase(),
  );
  return found === undefined ? null : { hash: found.hash, to: found.to, data: found.input };
}

/**
 * Whether the endpoint knows any transaction with the account's nonce, or one of these, which all carry it. Also true when
 * it does not answer. Never rejects.
 */
export async function isNonceTaken(
  client: ChainClient,
  address: Address,
  nonce: number,
  hashes: readonly Hash[],
): Promise<boolean> {
  try {
    if ((await client.getTransactionCount({ address, blockTag: 'pending' })) > nonce) return true;
    for (const hash of hashes) if (await isKnown(client, hash)) return true;
    return false;
  } catch {
    return true;
  }
}

async function isKnown(client: ChainClient, hash: Hash): Promise<boolean> {
  try {
    await client.getTransaction({ hash });
    return true;
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return false;
    throw error;
  }
}
