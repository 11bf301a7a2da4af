/** Turns the endpoint's logs into the events that the machines know. Everything that the endpoint says is checked. */

import { decodeEventLog, type Hex, type RpcLog, toEventSelector } from 'viem';
import type { ChainLog } from '../../../machines/events/chain.ts';
import { createBreather } from '../../basics/breather.ts';
import { type Address, type Hash, isHexOf, parseAddress } from '../../basics/hex.ts';
import { type ChannelLog, channelEventsAbi, channelLogOf } from '../../contracts/channel-events.ts';
import type { Position } from '../../contracts/event-definition.ts';
import { registryAbi, secretRegistryAbi, tokenNetworkAbi } from '../abi.ts';

/** What was asked for: every answer is checked against it. Blocks are inclusive. */
export type LogRequest = {
  registry: Address;
  secretRegistry: Address;
  tokenNetworks: readonly Address[];
  fromBlock: bigint;
  toBlock: bigint;
};
export type ReadLog = { log: ChainLog; blockHash: Hash };

const EVENTS = [...registryAbi, ...secretRegistryAbi, ...tokenNetworkAbi].filter(
  (item) => item.type === 'event',
);
/** First topics of all events that the node follows. */
export const EVENT_TOPICS: Hash[] = EVENTS.map((event) => toEventSelector(event));
const NAMES = new Map<Hex | undefined, string>(
  EVENTS.map((event) => [toEventSelector(event), event.name]),
);
const topicsOf = (abi: readonly { type: string }[]) =>
  EVENTS.filter((event) => abi.includes(event)).map((event) => toEventSelector(event));
const REGISTRY_TOPICS = topicsOf(registryAbi);
const SECRET_TOPICS = topicsOf(secretRegistryAbi);
const NETWORK_TOPICS = topicsOf(tokenNetworkAbi);

/** The question for all events of each of the contracts. */
export function questionOf(
  asked: Pick<LogRequest, 'registry' | 'secretRegistry' | 'tokenNetworks'>,
) {
  return {
    contracts: [
      { address: asked.registry, topics: REGISTRY_TOPICS },
      { address: asked.secretRegistry, topics: SECRET_TOPICS },
      ...asked.tokenNetworks.map((address) => ({ address, topics: NETWORK_TOPICS })),
    ],
  };
}

/** Logs that are read without a pause: each takes as long as twenty turns of actors. */
const LOGS_AT_ONCE = 100;

/**
 * The events of one answer, sorted by block and index, each once. Rejects when a log was not asked for, was taken
 * back, is malformed, or when two logs contradict each other: such an answer is worth nothing.
 */
export async function readLogs(answer: readonly RpcLog[], request: LogRequest): Promise<ReadLog[]> {
  const places = new Map<string, ReadLog>();
  const hashes = new Map<bigint, Hash>();
  const pause = createBreather(LOGS_AT_ONCE);
  const asked = { ...request, networks: new Set(request.tokenNetworks) };
  for (const raw of answer) {
    await pause();
    const read = readLog(raw, asked);
    const { block, logIndex, transactionHash } = read.log.at;
    if ((hashes.get(block) ?? read.blockHash) !== read.blockHash) {
      throw new Error(`logs of two different blocks ${block}`);
    }
    hashes.set(block, read.blockHash);
    const place = `${block}/${logIndex}`;
    const twin = places.get(place);
    if (twin !== undefined && twin.log.at.transactionHash !== transactionHash) {
      throw new Error(`two different logs at ${place}`);
    }
    places.set(place, read);
  }
  return [...places.values()].sort((a, b) => byPosition(a.log, b.log));
}

/** Ascending by block, then by index. */
export function byPosition(a: ChainLog, b: ChainLog): number {
  if (a.at.block !== b.at.block) return a.at.block < b.at.block ? -1 : 1;
  return a.at.logIndex - b.at.logIndex;
}

type Asked = LogRequest & { networks: ReadonlySet<Address> };

function readLog(raw: RpcLog, request: Asked): ReadLog {
  const address = parseAddress(raw.address);
  const at = positionOf(raw);
  if (address === null || at === null || !isHexOf(raw.blockHash, 32)) {
    throw new Error('a malformed log');
  }
  if (raw.removed === true) throw new Error(`a log of block ${at.block} that was taken back`);
  if (at.block < request.fromBlock || at.block > request.toBlock) {
    throw new Error(`a log of block ${at.block}, which was not asked for`);
  }
  const log = decode(raw, address, at, request);
  if (log === null) throw new Error(`a log of ${address}, which was not asked for`);
  return { log, blockHash: raw.blockHash };
}

function positionOf(raw: RpcLog): Position | null {
  const { blockNumber, logIndex, transactionHash } = raw;
  if (!isQuantity(blockNumber) || !isQuantity(logIndex)) return null;
  if (!isHexOf(transactionHash, 32)) return null;
  return { block: BigInt(blockNumber), logIndex: Number(logIndex), transactionHash };
}

function isQuantity(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value);
}

/** Throws when topics or data do not fit the contract's events. */
function decode(raw: RpcLog, address: Address, at: Position, request: Asked): ChainLog | null {
  const { topics, data } = raw;
  if (address === request.registry) {
    const { args } = decodeEventLog({ abi: eventOf(registryAbi, topics), topics, data });
    return { type: 'chain.tokenNetworkCreated', ...args, at };
  }
  if (address === request.secretRegistry) {
    const { args } = decodeEventLog({ abi: eventOf(secretRegistryAbi, topics), topics, data });
    return { type: 'chain.secretRevealed', ...args, at };
  }
  if (!request.networks.has(address)) return null;
  return decodeChannelLog(raw, address, at);
}

function decodeChannelLog(raw: RpcLog, tokenNetwork: Address, at: Position): ChannelLog {
  const { topics, data } = raw;
  const abi = eventOf(channelEventsAbi, topics);
  return channelLogOf(decodeEventLog({ abi, topics, data }), { tokenNetwork, at });
}

/** The one event of the ABI that the log is: viem would hash one after the other for each log. */
function eventOf<const Item extends { type: string; name?: string }>(
  abi: readonly Item[],
  [topic]: readonly Hex[],
): Item[] {
  const name = NAMES.get(topic);
  return abi.filter((item) => item.type === 'event' && item.name === name);
}
