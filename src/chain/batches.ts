/** One range of confirmed blocks, read so that it can only be of one and the same chain. */
import type { ChainLog } from '../../machines/events.ts';
import type { Address, Hash } from '../protocol/hex.ts';
import type { ChainClient } from './client.ts';
import { byPosition, EVENT_TOPICS, type LogRequest, type ReadLog, readLogs } from './logs.ts';

export type LogBatch = {
  fromBlock: bigint;
  /** Inclusive. */
  toBlock: bigint;
  toHash: Hash;
  /** By block and index; of the registry, its token networks and the secret registry. */
  logs: ChainLog[];
};
/** The last block that was delivered; null: nothing is known about its hash. */
export type Cursor = { block: bigint; hash: Hash | null };
/** The block of the cursor is another one now: more blocks were replaced than count as confirmed. */
export type DeepReorg = { block: bigint; expectedHash: Hash; foundHash: Hash };

/**
 * Reads what follows the cursor. Rejects when the endpoint fails or contradicts itself: repeat it then.
 * The last block's hash is asked for before and after the logs, so that no reorganisation in between
 * goes unseen.
 */
export async function readBatch(
  client: ChainClient,
  cursor: Cursor,
  request: LogRequest,
): Promise<LogBatch | DeepReorg> {
  const { fromBlock, toBlock } = request;
  const last = await blockOf(client, toBlock);
  const first = fromBlock === toBlock ? last : await blockOf(client, fromBlock);
  if (cursor.hash !== null && first.parentHash !== cursor.hash) {
    const reorg = await findDeepReorg(client, cursor);
    if (reorg !== null) return reorg;
    throw new Error(`block ${fromBlock} does not follow the block before it`);
  }
  const found = await askLogs(client, request);
  const created = found.flatMap(({ log }) =>
    log.type === 'chain.tokenNetworkCreated' && !request.tokenNetworks.includes(log.tokenNetwork)
      ? [log.tokenNetwork]
      : [],
  );
  if (created.length > 0) found.push(...(await askNewNetworks(client, request, created)));
  const isForeign = ({ log, blockHash }: ReadLog) =>
    log.at.block === toBlock && blockHash !== last.hash;
  if (found.some(isForeign) || (await blockOf(client, toBlock)).hash !== last.hash) {
    throw new Error(`block ${toBlock} changed while its logs were read`);
  }
  const logs = found.map(({ log }) => log).sort(byPosition);
  return { fromBlock, toBlock, toHash: last.hash, logs };
}

/** Whether the cursor's block was replaced; asked twice, because the answer ends the node. */
export async function findDeepReorg(
  client: ChainClient,
  cursor: Cursor,
): Promise<DeepReorg | null> {
  const { block, hash } = cursor;
  if (hash === null) return null;
  if ((await blockOf(client, block)).hash === hash) return null;
  const foundHash = (await blockOf(client, block)).hash;
  return foundHash === hash ? null : { block, expectedHash: hash, foundHash };
}

/** The events of networks that were created inside the range, from their creation on. */
async function askNewNetworks(
  client: ChainClient,
  request: LogRequest,
  created: Address[],
): Promise<ReadLog[]> {
  return readLogs(await rawLogs(client, created, request), { ...request, tokenNetworks: created });
}

async function askLogs(client: ChainClient, request: LogRequest): Promise<ReadLog[]> {
  const { registry, secretRegistry, tokenNetworks } = request;
  const addresses = [registry, secretRegistry, ...tokenNetworks];
  return readLogs(await rawLogs(client, addresses, request), request);
}

function rawLogs(client: ChainClient, address: Address[], request: LogRequest) {
  const fromBlock = `0x${request.fromBlock.toString(16)}` as const;
  const toBlock = `0x${request.toBlock.toString(16)}` as const;
  return client.request({
    method: 'eth_getLogs',
    params: [{ address, topics: [EVENT_TOPICS], fromBlock, toBlock }],
  });
}

async function blockOf(client: ChainClient, blockNumber: bigint) {
  const { number, hash, parentHash } = await client.getBlock({ blockNumber });
  if (number !== blockNumber) throw new Error(`asked for block ${blockNumber}, got ${number}`);
  return { hash, parentHash };
}
