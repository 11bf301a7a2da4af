/** Block headers: logs are checked against them, and they show that one block follows another. */
import type { GetBlockReturnType } from 'viem';
import { larger } from '../../basics/amount.ts';
import { fromHex, type Hash, isHexOf } from '../../basics/hex.ts';
import type { BulkClient, ChainClient } from '../client.ts';
import { isUnreachable } from '../errors.ts';
import type { Bloom } from './blooms.ts';

export type Header = {
  number: bigint;
  hash: Hash;
  parentHash: Hash;
  /** Seconds since 1970. */
  timestamp: bigint;
  bloom: Bloom;
  transactions: number;
};

/** Most calls that run side by side: more would look like an attack to an endpoint that many share. */
const SIDE_BY_SIDE = 16;
/** Most calls that are made at once when many go in one request. */
const AT_ONCE = 400;

/** The newest header that the endpoint tells of. Rejects like the other reads in this file. */
export async function headHeader(client: ChainClient): Promise<Header> {
  return headerOf(await client.getBlock());
}

/**
 * The header of a block. Rejects when the endpoint does not know the block, or answers with another one or an
 * incomplete header.
 */
export async function headerByNumber(client: BulkClient, blockNumber: bigint): Promise<Header> {
  const header = headerOf(await client.getBlock({ blockNumber }));
  if (header.number !== blockNumber)
    throw new Error(`asked for block ${blockNumber}, got ${header.number}`);
  return header;
}

/** All headers from block to block, inclusive, each the parent of the next. */
export async function readHeaders(
  client: ChainClient,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<Header[]> {
  const numbers = Array.from(
    { length: Number(toBlock - fromBlock) + 1 },
    (_, at) => fromBlock + BigInt(at),
  );
  const ask = (from: BulkClient) => (number: bigint) => headerByNumber(from, number);
  const inBulk = sideBySide(numbers, ask(client.bulk), AT_ONCE);
  const headers = await inBulk.catch((error: unknown) => {
    // Not every endpoint takes many calls in one request.
    if (isUnreachable(error)) throw error;
    return sideBySide(numbers, ask(client));
  });
  assertChained(headers);
  return headers;
}

/** Throws unless each header is the parent of the next. */
export function assertChained(headers: readonly Header[]): void {
  for (const [at, header] of headers.entries()) {
    const before = headers[at - 1];
    if (before !== undefined && header.parentHash !== before.hash)
      throw new Error(`block ${header.number} does not follow the block before it`);
  }
}

/**
 * Headers from the head down, each asked for by the hash that its child names: whichever of an endpoint's machines
 * answers, they are all of one chain, the head's. The headers of the previous walk are not asked for again.
 */
export function createHeaderWalk(client: ChainClient) {
  let known = new Map<Hash, Header>();

  async function parentOf(child: Header): Promise<Header> {
    const hash = child.parentHash;
    const header = known.get(hash) ?? headerOf(await client.getBlock({ blockHash: hash }));
    if (header.hash !== hash || header.number !== child.number - 1n)
      throw new Error(`asked for the parent of block ${child.number}, got another block`);
    return header;
  }

  /** Asks for many headers at once, by number; those that are no ancestors of the head are not used. */
  async function guess(head: Header, fromBlock: bigint): Promise<void> {
    const newest = [...known.values()].reduce((most, { number }) => larger(most, number), -1n);
    const first = larger(fromBlock, newest + 1n);
    if (head.number - first < 2n) return;
    const guessed = await readHeaders(client, first, head.number - 1n).catch(() => []);
    for (const header of guessed) known.set(header.hash, header);
  }

  /** The headers from the block to the head, ascending, both inclusive. */
  return async function walk(head: Header, fromBlock: bigint): Promise<Header[]> {
    await guess(head, fromBlock);
    const found = [head];
    for (let last = head; last.number > fromBlock; ) {
      last = await parentOf(last);
      found.push(last);
      // Stored at once, so that a walk which was interrupted does not begin at the head again.
      known.set(last.hash, last);
    }
    known = new Map(found.map((header) => [header.hash, header]));
    return found.reverse();
  };
}

/** The answers in the order of the questions; a few are asked at a time. Rejects with the first failure. */
export async function sideBySide<T, U>(
  items: readonly T[],
  ask: (item: T) => Promise<U>,
  most = SIDE_BY_SIDE,
): Promise<U[]> {
  const answers: U[] = [];
  const left = items.entries();
  let hasFailed = false;
  const work = async () => {
    for (const [at, item] of left) {
      // Nobody waits for the rest any more.
      if (hasFailed) return;
      try {
        answers[at] = await ask(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, work));
  return answers;
}

type Block = Pick<
  GetBlockReturnType,
  'number' | 'hash' | 'parentHash' | 'timestamp' | 'logsBloom' | 'transactions'
>;

function headerOf({ number, hash, parentHash, timestamp, logsBloom, transactions }: Block): Header {
  if (number === null || !isHexOf(hash, 32) || !isHexOf(parentHash, 32))
    throw new Error('a block without number or hash');
  if (!isHexOf(logsBloom, 256)) throw new Error(`block ${number} without a filter of its logs`);
  const bloom = fromHex(logsBloom);
  return { number, hash, parentHash, timestamp, bloom, transactions: transactions.length };
}
