/**
 * Logs of which none is missing. An endpoint of several machines may pass a question to one that lags, and that one
 * answers with no logs at all: a closed channel would stay open here for ever. So each answer is checked against the
 * filters in the headers. An answer that disagrees with them is asked for again, and rejected if it still disagrees.
 */
import type { RpcLog } from 'viem';
import { createBreather } from '../../basics/breather.ts';
import type { Address, Hash } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';
import { createPause } from '../pause.ts';
import { chanceOfError, type EventOf, eventsIn, hasItem } from './blooms.ts';
import { type Header, sideBySide } from './headers.ts';
import { logsOfReceipts } from './receipts.ts';

/** Every log of one of the contracts that begins with one of its topics. */
export type LogQuestion = { contracts: readonly { address: Address; topics: readonly Hash[] }[] };
/** Blocks, inclusive. */
export type Blocks = { fromBlock: bigint; toBlock: bigint };

/** Answers that have to agree when there is nothing else to check them against. */
const ANSWERS = 3;
const PAUSE_MS = 100;
/**
 * If a filter errs more often than this, it would cost too much to read all receipts of a block for each of its
 * hints.
 */
const RARE = 0.01;

/**
 * The logs of blocks near the head, asked for block by block, by hash: a machine that does not know the block cannot
 * answer.
 */
export async function logsOfBlocks(
  client: ChainClient,
  headers: readonly Header[],
  question: LogQuestion,
): Promise<RpcLog[]> {
  const all = await sideBySide(headers.filter(mayHaveLogs), async (header) => {
    const answer = await insisted(() => byHash(client, header, question));
    return settled({ client, header, question, isNear: true }, answer);
  });
  return all.flat();
}

/**
 * The logs of blocks farther below, asked for in one call; a block whose filter hints at more logs is asked for
 * again, by hash.
 */
export async function logsOfRange(
  client: ChainClient,
  headers: readonly Header[],
  question: LogQuestion,
): Promise<RpcLog[]> {
  const [first, last] = [headers[0], headers.at(-1)];
  if (first === undefined || last === undefined) return [];
  const blocks = { fromBlock: first.number, toBlock: last.number };
  const answer = await byRange(client, blocks, question);
  const perBlock = new Map<string, RpcLog[]>();
  for (const log of answer) {
    const hash = String(log.blockHash);
    const ofBlock = perBlock.get(hash);
    if (ofBlock === undefined) perBlock.set(hash, [log]);
    else ofBlock.push(log);
  }
  const pause = createBreather();
  const all = await sideBySide(headers, async (header) => {
    await pause();
    return settled({ client, header, question, isNear: false }, perBlock.get(header.hash) ?? []);
  });
  for (const { hash } of headers) perBlock.delete(hash);
  if (perBlock.size > 0) throw new Error('logs of blocks that are not on the chain');
  return all.flat();
}

/** The logs of blocks long before anything of this node was on chain: two answers that are the same. */
export async function logsOfOldRange(
  client: ChainClient,
  blocks: Blocks,
  question: LogQuestion,
): Promise<RpcLog[]> {
  const one = await byRange(client, blocks, question);
  const other = await byRange(client, blocks, question);
  if (!isSame(one, other)) throw new Error('two answers with different logs');
  return one;
}

/**
 * Whether a block may have logs. Without transactions it has none, but an empty filter alone proves nothing: some
 * endpoints do not fill it.
 */
const mayHaveLogs = ({ transactions, bloom }: Header) =>
  transactions > 0 || bloom.some((byte) => byte !== 0);

type Doubt = { client: ChainClient; header: Header; question: LogQuestion; isNear: boolean };

/** The logs of one block, once nothing speaks against them. */
async function settled(doubt: Doubt, answer: readonly RpcLog[]): Promise<readonly RpcLog[]> {
  const { client, header, question, isNear } = doubt;
  if (isExplained(header, question, answer)) return answer;
  // The answer to a call for many blocks may lack the logs of one of them.
  const whole = isNear ? answer : await insisted(() => byHash(client, header, question));
  if (!isNear && isExplained(header, question, whole)) return whole;
  // The second answer is the same, and it is from a machine that knows the block, since it was asked by hash.
  if (!isNear && errsOften(doubt) && isSame(whole, answer)) return whole;
  return proven(doubt, whole);
}

/**
 * The filter hints at more logs than were answered: the receipts show whether it errs, or else many answers that
 * agree.
 */
async function proven(doubt: Doubt, answer: readonly RpcLog[]): Promise<readonly RpcLog[]> {
  const { client, header, question } = doubt;
  const pause = createPause();
  let last = answer;
  for (let asked = 1; asked <= ANSWERS; asked++) {
    const all = await logsOfReceipts(client, header);
    const wanted = all?.filter((log) => isWanted(log, question)) ?? null;
    if (wanted !== null && isSame(wanted, last)) return last;
    await pause.wait(PAUSE_MS * 2 ** asked);
    const again = await byHash(client, header, question);
    const isAgreed = isSame(again, last);
    last = again;
    if (isExplained(header, question, again)) return again;
    if (wanted === null && isAgreed && asked === ANSWERS && mayErr(doubt, again)) return again;
  }
  throw new Error(`logs of block ${header.number} are missing in the endpoint's answers`);
}

const errsOften = ({ header, question }: Doubt) =>
  chanceOfError(header.bloom, eventsOf(question)) > RARE;

/** Whether the filter's hint at more logs may well be wrong. */
function mayErr(doubt: Doubt, answer: readonly RpcLog[]): boolean {
  const { header, question } = doubt;
  const items = new Set(answer.flatMap(({ address, topics }) => [address, topics[0]]).map(lower));
  // When two contracts have one log each, the filter cannot tell which has which.
  const isMixed = ({ address, topic }: EventOf) => items.has(lower(address)) && items.has(topic);
  return errsOften(doubt) || eventsIn(header.bloom, eventsOf(question)).every(isMixed);
}

const lower = (item = '') => item.toLowerCase();

/** Whether the filter hints at no other logs than these. Throws when a log is not in the filter. */
function isExplained(header: Header, question: LogQuestion, logs: readonly RpcLog[]): boolean {
  for (const { address, topics, blockHash } of logs) {
    if (blockHash !== header.hash) throw new Error(`a log of another block ${header.number}`);
    if (![address, ...topics].every((item) => hasItem(header.bloom, item)))
      throw new Error(`a log of block ${header.number} that its header does not know`);
  }
  const there = new Set(logs.map(({ address, topics }) => `${address}${topics[0]}`.toLowerCase()));
  return eventsIn(header.bloom, eventsOf(question)).every(({ address, topic }) =>
    there.has(`${address}${topic}`.toLowerCase()),
  );
}

function eventsOf({ contracts }: LogQuestion): EventOf[] {
  return contracts.flatMap(({ address, topics }) => topics.map((topic) => ({ address, topic })));
}

function isWanted({ address, topics }: RpcLog, { contracts }: LogQuestion): boolean {
  const contract = contracts.find((one) => one.address.toLowerCase() === address.toLowerCase());
  return contract?.topics.some((topic) => topic === topics[0]?.toLowerCase()) ?? false;
}

function isSame(one: readonly RpcLog[], other: readonly RpcLog[]): boolean {
  const places = new Set(one.map(placeOf));
  return one.length === other.length && other.every((log) => places.has(placeOf(log)));
}

const placeOf = ({ blockHash, logIndex, transactionHash }: RpcLog) =>
  `${blockHash}/${logIndex}/${transactionHash}`;

/** Repeats a question that failed: a machine that does not know the block yet will soon, or another one answers. */
async function insisted<T>(ask: () => Promise<T>): Promise<T> {
  const pause = createPause();
  for (let asked = 1; ; asked++) {
    try {
      return await ask();
    } catch (error) {
      if (asked >= ANSWERS) throw error;
      await pause.wait(PAUSE_MS * 2 ** asked);
    }
  }
}

function byHash(client: ChainClient, { hash }: Header, question: LogQuestion) {
  return client.request({
    method: 'eth_getLogs',
    params: [{ ...filterOf(question), blockHash: hash }],
  });
}

/** The endpoint's answer, unchecked: the caller checks it, unless a missing log harms nobody. */
export function byRange(
  client: ChainClient,
  { fromBlock, toBlock }: Blocks,
  question: LogQuestion,
): Promise<RpcLog[]> {
  const blocks = {
    fromBlock: `0x${fromBlock.toString(16)}`,
    toBlock: `0x${toBlock.toString(16)}`,
  } as const;
  return client.request({ method: 'eth_getLogs', params: [{ ...filterOf(question), ...blocks }] });
}

/** One filter for all contracts and all their topics: an answer may contain more than was wanted, never less. */
function filterOf({ contracts }: LogQuestion) {
  const topics = [...new Set(contracts.flatMap((contract) => contract.topics))];
  return { address: contracts.map(({ address }) => address), topics: [topics] };
}
