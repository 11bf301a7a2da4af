/** Reads one range of confirmed blocks, in such a way that it can only be of one chain, and that no log is missing. */
import type { RpcLog } from 'viem';
import type { ChainLog } from '../../../machines/events/chain.ts';
import { larger, smaller } from '../../basics/amount.ts';
import type { Address, Hash } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';
import {
  assertChained,
  createHeaderWalk,
  type Header,
  headerByNumber,
  readHeaders,
} from './headers.ts';
import { byPosition, type LogRequest, questionOf, readLogs } from './logs.ts';
import type { BlockTrust } from './ranges.ts';
import { type LogQuestion, logsOfBlocks, logsOfOldRange, logsOfRange } from './sound-logs.ts';

export type LogBatch = {
  fromBlock: bigint;
  /** Inclusive. */
  toBlock: bigint;
  toHash: Hash;
  /** The logs of the registry, its token networks and the secret registry, sorted by block and index. */
  logs: ChainLog[];
  /** The hashes of the blocks that have logs. */
  hashes: ReadonlyMap<bigint, Hash>;
};
/**
 * How far the blocks were handled: up to this one. `lastLog`: of this block only the logs up to the one with this index;
 * absent: all of it. `hash` null: the hash is not known.
 */
export type Cursor = { block: bigint; hash: Hash | null; lastLog?: number };
/** The block of the cursor was replaced: the reorganisation is deeper than the confirmations. */
export type DeepReorg = { block: bigint; expectedHash: Hash; foundHash: Hash };
/** `head`: the newest header, which the blocks of the range must lead to. */
type BatchRequest = LogRequest & BlockTrust & { head: Header };

/**
 * Reads the blocks that follow the cursor. Rejects when the endpoint cannot be believed; then the caller tries again.
 */
export type BatchReader = (cursor: Cursor, request: BatchRequest) => Promise<LogBatch | DeepReorg>;

export function createBatchReader(client: ChainClient): BatchReader {
  const walk = createHeaderWalk(client);

  /** The headers of the range, ascending; of its old part only the first and the last. */
  async function headersOf(request: BatchRequest) {
    const { fromBlock, toBlock, nearBlock, soundBlock, head } = request;
    const nearFrom = larger(fromBlock, nearBlock);
    const near = toBlock < nearFrom ? [] : await walk(head, nearFrom);
    const soundFrom = larger(fromBlock, soundBlock);
    const soundTo = smaller(toBlock, nearFrom - 1n);
    const sound = soundTo < soundFrom ? [] : await readHeaders(client, soundFrom, soundTo);
    const oldTo = smaller(toBlock, soundFrom - 1n);
    const isOld = fromBlock <= oldTo;
    const old = isOld ? { first: await header(fromBlock), last: await header(oldTo) } : null;
    assertChained([...(old === null ? [] : [old.last]), ...sound, ...near]);
    return { old, sound, near: near.filter(({ number }) => number <= toBlock) };
  }
  const header = (block: bigint) => headerByNumber(client, block);

  /** The logs of the range, each checked as the age of its block demands. */
  async function ask(headers: Headers, question: LogQuestion): Promise<RpcLog[]> {
    const { old, sound, near } = headers;
    const blocks = old === null ? null : { fromBlock: old.first.number, toBlock: old.last.number };
    const oldLogs = blocks === null ? [] : await logsOfOldRange(client, blocks, question);
    const soundLogs = await logsOfRange(client, sound, question);
    return [...oldLogs, ...soundLogs, ...(await logsOfBlocks(client, near, question))];
  }

  /**
   * Reads the blocks that follow the cursor. Rejects when the endpoint fails, contradicts itself or leaves something
   * out; then the caller tries again.
   */
  return async function readBatch(
    cursor: Cursor,
    request: BatchRequest,
  ): Promise<LogBatch | DeepReorg> {
    const { fromBlock, toBlock } = request;
    const headers = await headersOf(request);
    const { old, sound, near } = headers;
    const first = old?.first ?? sound[0] ?? near[0];
    const last = near.at(-1) ?? sound.at(-1) ?? old?.last;
    if (first?.number !== fromBlock || last?.number !== toBlock)
      throw new Error(`the headers from ${fromBlock} to ${toBlock} are not whole`);
    const followed = cursor.lastLog === undefined ? first.parentHash : first.hash;
    if (cursor.hash !== null && followed !== cursor.hash) {
      const reorg = await findDeepReorg(client, cursor);
      if (reorg !== null) return reorg;
      throw new Error(`block ${fromBlock} does not follow the block before it`);
    }
    const answer = await ask(headers, questionOf(request));
    const found = await readLogs(answer, request);
    const created = found.flatMap(({ log }) =>
      log.type === 'chain.tokenNetworkCreated' && !request.tokenNetworks.includes(log.tokenNetwork)
        ? [log.tokenNetwork]
        : [],
    );
    const all = [...found, ...(await askNewNetworks(request, headers, created))];
    const hashes = new Map(all.map(({ log, blockHash }) => [log.at.block, blockHash]));
    const logs = all.map(({ log }) => log).sort(byPosition);
    return { fromBlock, toBlock, toHash: last.hash, logs, hashes };
  };

  /** The events of networks that were created inside the range, from their creation on. */
  async function askNewNetworks(request: LogRequest, headers: Headers, tokenNetworks: Address[]) {
    if (tokenNetworks.length === 0) return [];
    const contracts = questionOf({ ...request, tokenNetworks }).contracts.slice(2);
    return readLogs(await ask(headers, { contracts }), { ...request, tokenNetworks });
  }

  type Headers = Awaited<ReturnType<typeof headersOf>>;
}

/** Whether the cursor's block was replaced; asked twice, because the answer ends the node. */
export async function findDeepReorg(
  client: ChainClient,
  cursor: Cursor,
): Promise<DeepReorg | null> {
  const { block, hash } = cursor;
  if (hash === null) return null;
  if ((await headerByNumber(client, block)).hash === hash) return null;
  const foundHash = (await headerByNumber(client, block)).hash;
  return foundHash === hash ? null : { block, expectedHash: hash, foundHash };
}
