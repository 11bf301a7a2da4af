/** All logs of one block, taken from its receipts: they decide when the filter of a header and an answer disagree. */
import { HttpRequestError, type RpcLog } from 'viem';
import { type Hash, type Hex, isHexOf } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';
import { classify } from '../errors.ts';
import { bloomOver, isWithin } from './blooms.ts';
import type { Header } from './headers.ts';

/**
 * The logs as the endpoint gave them; null when it has no such method. Rejects when it fails, and when the
 * receipts cannot be all of the block's: one for each transaction, and together they explain every bit of
 * the header's filter.
 */
export async function logsOfReceipts(
  client: ChainClient,
  header: Header,
): Promise<RpcLog[] | null> {
  const asked = client.request({ method: 'eth_getBlockReceipts', params: [header.hash] });
  const answer: unknown = await asked.catch((error: unknown) => {
    if (isRefused(error)) return 'refused';
    throw error;
  });
  if (answer === 'refused') return null;
  if (!Array.isArray(answer) || answer.length !== header.transactions)
    throw new Error(`not all receipts of block ${header.number}`);
  const logs = answer.flatMap((receipt: unknown) => logsIn(receipt, header.hash));
  const items = logs.flatMap(({ address, topics }): Hex[] => [address, ...topics]);
  if (!isWithin(header.bloom, bloomOver(items)))
    throw new Error(`the receipts of block ${header.number} do not explain the filter of its logs`);
  return logs;
}

function logsIn(receipt: unknown, blockHash: Hash): RpcLog[] {
  const { logs, blockHash: found }: { logs?: unknown; blockHash?: unknown } = Object(receipt);
  if (found !== blockHash || !Array.isArray(logs) || !logs.every(isLog))
    throw new Error('a malformed receipt');
  return logs;
}

/** Checks only what is used here; the rest of a log is checked where logs are decoded. */
function isLog(log: unknown): log is RpcLog {
  const { address, topics }: { address?: unknown; topics?: unknown } = Object(log);
  return (
    isHexOf(address, 20) && Array.isArray(topics) && topics.every((topic) => isHexOf(topic, 32))
  );
}

/** Whether the endpoint answered that it has no such method, and not only that it cannot answer at this moment. */
function isRefused(error: unknown): boolean {
  if (classify(error) === 'unknown') return true;
  const status = error instanceof HttpRequestError ? error.status : undefined;
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}
