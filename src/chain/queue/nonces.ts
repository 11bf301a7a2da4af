/** Which transaction uses up a nonce of an account. */
import { TransactionNotFoundError } from 'viem';
import type { Address, Hash, Hex } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';

export type NonceUse = { hash: Hash; to: Address | null; data: Hex };

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
