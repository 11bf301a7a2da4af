/**
 * Feeds the confirmed blocks of the chain to the runtime, in order, each exactly once.
 *
 * A block is confirmed when `confirmations` blocks follow it. A reorganisation above the last confirmed block changes
 * nothing; a deeper one cannot be repaired here and ends the feed.
 */
import type { ChainLog } from '../../../machines/events/chain.ts';
import { larger } from '../../basics/amount.ts';
import type { Address, Hash } from '../../basics/hex.ts';
import type { ChainClient } from '../client.ts';
import { describe } from '../describe.ts';
import { isUnreachable } from '../errors.ts';
import { createPause, growing } from '../pause.ts';
import {
  type BatchReader,
  type Cursor,
  createBatchReader,
  type DeepReorg,
  findDeepReorg,
  type LogBatch,
} from './batches.ts';
import { type Header, headHeader } from './headers.ts';
import type { LogRequest } from './logs.ts';
import { type HandledUpTo, restAfter } from './portions.ts';
import { nextBlocks, nextRange, START_RANGE, trustAt } from './ranges.ts';
import type { ChainSight } from './sight.ts';

export type HeadStatus = {
  /** `ready`: everything confirmed was delivered, or all but a few blocks. */
  status: 'ready' | 'syncing' | 'unavailable';
  headBlock: bigint;
  /** The newest block whose batch was handled. */
  confirmedBlock: bigint;
  /** Confirmed blocks that are not delivered yet. */
  blocksToSync: bigint;
  /** Why it is unavailable, for people; else null. */
  trouble: string | null;
};
export type WatcherOptions = {
  client: ChainClient;
  registry: Address;
  secretRegistry: Address;
  confirmations: bigint;
  /** How far the blocks were handled; or the block where the contracts begin. */
  start: HandledUpTo | { deployBlock: bigint };
  /** Absent: a reader of its own. */
  readBatch?: BatchReader;
  /** How the head is asked for, and judged; absent: whatever the endpoint says is believed. */
  sight?: Pick<ChainSight, 'look'>;
  /**
   * Whether, with these logs, something of this node is on chain: from then on every header is read, however far
   * below the head. Absent: never, and only the headers of the newest part of a long past are read.
   */
  hasStake?: (logs: readonly ChainLog[]) => boolean;
  /** Called with one batch at a time; the next comes when this is done. A rejection ends the feed. */
  onBatch: (batch: LogBatch) => void | Promise<void>;
  /** Called whenever something in the status changed. */
  onHead: (status: HeadStatus) => void;
  /** Called when another block is the newest at a height that was seen before. */
  onReorg?: () => void;
  /** Called once; nothing more is fed after it. */
  onDeepReorg: (reorg: DeepReorg) => void;
  /** What `onBatch` or `onHead` threw. Called once; nothing more is fed after it. */
  onFailure: (error: unknown) => void;
  pollIntervalMs?: number;
};
export type Watcher = ReturnType<typeof createWatcher>;

const POLL_INTERVAL_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
/** A node that was ready goes back to `syncing` when it is behind by more than this. */
const READY_GAP = 20n;
/**
 * Questions in a row without a right answer until a node that was ready says so: of several machines behind one endpoint,
 * one may be behind or gone. What is too old meanwhile is found out by its age.
 */
const MOST_UNTOLD = 3;

export function createWatcher(options: WatcherOptions) {
  const { client, registry, secretRegistry, confirmations, start } = options;
  const { pollIntervalMs = POLL_INTERVAL_MS } = options;
  const pause = createPause();
  const tokenNetworks: Address[] = [];
  let cursor: Cursor =
    'deployBlock' in start ? { block: start.deployBlock - 1n, hash: null } : { ...start };
  const check = createReorgCheck(client);
  const reporter = createReporter(options.onHead);
  const readBatch = options.readBatch ?? createBatchReader(client);
  let head: Header | null = null;
  /** What was wrong with the head when it was asked for. Its blocks are applied nevertheless. */
  let headTrouble: string | null = null;
  let range = START_RANGE;
  let failures = 0;
  /** Failures since the last status. */
  let untold = 0;
  let isStopped = false;
  let running: Promise<void> | null = null;

  /** The newest block of which all logs were handled. */
  const wholeBlock = () => (cursor.lastLog === undefined ? cursor.block : cursor.block - 1n);
  const confirmedBlock = (): bigint => larger(wholeBlock(), 0n);
  const isBehind = () => head !== null && head.number - confirmations > cursor.block;

  const report = (trouble: string | null): void =>
    reporter.report({
      headBlock: head?.number ?? 0n,
      confirmations,
      readBlock: cursor.block,
      confirmedBlock: confirmedBlock(),
      trouble,
    });

  async function lookAtHead(): Promise<Header & { trouble: string | null }> {
    return options.sight?.look() ?? { ...(await headHeader(client)), trouble: null };
  }

  /** Rejects when the endpoint fails. */
  async function look(): Promise<void> {
    const { trouble, ...newest } = await lookAtHead();
    const { number, hash } = newest;
    headTrouble = trouble;
    if (head?.number === number && head.hash !== hash) options.onReorg?.();
    head = newest;
    // This proves no reorganisation: an endpoint of several machines may pass the question to one that is behind.
    if (number < cursor.block) throw new Error(`the endpoint is behind block ${cursor.block}`);
  }

  /** Rejects when the endpoint fails; null when there is nothing to read. */
  async function readNext(): Promise<LogBatch | DeepReorg | null> {
    if (head === null) return null;
    // A block of which only some logs were handled is read again.
    const blocks = nextBlocks(wholeBlock(), head.number - confirmations, range);
    // Blocks that are read show by themselves whether they follow the cursor's: no call of a slow endpoint is spent on it.
    if (blocks === null) return check.reorgBelow(head, cursor);
    const newest = head;
    try {
      const read = await readAll({ registry, secretRegistry, tokenNetworks, ...blocks }, newest);
      range = nextRange(range, 'logs' in read ? { logs: read.logs.length } : 'unreachable');
      // The newest blocks of a range are ancestors of the head, hash by hash.
      if ('logs' in read && read.toBlock === newest.number - confirmations) check.noteSound(newest);
      return read;
    } catch (error) {
      const isRefused = !isUnreachable(error);
      // As long as a shorter range can still help, the pauses do not grow.
      if (isRefused && range > 1n) failures = 0;
      range = nextRange(range, isRefused ? 'refused' : 'unreachable');
      throw error;
    }
  }

  /**
   * Reads a range, and reads it once more with every header when it turns out to contain the first stake of this
   * node.
   */
  async function readAll(request: LogRequest, newest: Header): Promise<LogBatch | DeepReorg> {
    const { hasStake = () => false } = options;
    const trust = (isAtStake: boolean) => trustAt(newest.number, confirmations, isAtStake);
    const given = trust(hasStake([]));
    const read = await readBatch(cursor, { ...request, ...given, head: newest });
    if ('foundHash' in read || request.fromBlock >= given.soundBlock) return read;
    if (!hasStake(read.logs)) return read;
    return readBatch(cursor, { ...request, ...trust(true), head: newest });
  }

  async function deliver(batch: LogBatch): Promise<void> {
    await options.onBatch(restAfter(cursor, batch));
    cursor = { block: batch.toBlock, hash: batch.toHash };
    for (const log of batch.logs) {
      if (log.type !== 'chain.tokenNetworkCreated') continue;
      if (!tokenNetworks.includes(log.tokenNetwork)) tokenNetworks.push(log.tokenNetwork);
    }
  }

  async function poll(): Promise<void> {
    if ((await answered(look)) === null) return;
    // The first read may take long: how many blocks are left is reported before it. If none is, it is not known yet whether
    // the cursor's block is still on the chain.
    if (!reporter.isReady() && !isStopped && isBehind()) report(headTrouble);
    while (!isStopped) {
      const read = await answered(readNext);
      if (read === null) return;
      failures = untold = 0;
      const found = read.value;
      if (!isStopped && found !== null && 'foundHash' in found) {
        isStopped = true;
        return options.onDeepReorg(found);
      }
      report(headTrouble);
      if (isStopped || found === null || 'foundHash' in found) return;
      await deliver(found);
    }
  }

  /** Null when the endpoint failed; a wrong answer counts as no answer. */
  async function answered<T>(ask: () => Promise<T>): Promise<{ value: T } | null> {
    try {
      return { value: await ask() };
    } catch (error) {
      failures += 1;
      untold = reporter.isReady() ? untold + 1 : MOST_UNTOLD;
      if (untold >= MOST_UNTOLD) report(describe(error));
      return null;
    }
  }

  async function run(known: Iterable<Address>): Promise<void> {
    tokenNetworks.push(...known);
    try {
      while (!isStopped) {
        await poll();
        if (!isStopped) await pause.wait(growing(pollIntervalMs, failures, LONGEST_PAUSE_MS));
      }
    } catch (error) {
      isStopped = true;
      options.onFailure(error);
    }
  }

  return {
    /** `known`: the token networks known so far; later ones are followed from their creation on. */
    start(known: Iterable<Address> = []): void {
      running ??= run(known);
    },
    /** Ends after the batch in work; nothing is fed after it resolves. */
    async stop(): Promise<void> {
      isStopped = true;
      pause.wake();
      await running;
    },
    /** The newest block that the endpoint told of; 0 before the first answer. */
    head: (): bigint => head?.number ?? 0n,
    /** The newest block whose batch was handled. */
    confirmedBlock,
  };
}

type Progress = {
  headBlock: bigint;
  confirmations: bigint;
  /** Up to here blocks were read. */
  readBlock: bigint;
  confirmedBlock: bigint;
  trouble: string | null;
};

/** Tells how far the reading is, each time that it is otherwise than before. */
function createReporter(onHead: WatcherOptions['onHead']) {
  let isReady = false;
  let reported = '';
  return {
    isReady: () => isReady,
    report({ headBlock, confirmations, readBlock, confirmedBlock, trouble }: Progress): void {
      const isAvailable = trouble === null;
      const confirmed = headBlock - confirmations;
      const blocksToSync = confirmed > readBlock ? confirmed - readBlock : 0n;
      if (blocksToSync === 0n && isAvailable) isReady = true;
      if (blocksToSync > READY_GAP) isReady = false;
      const status = isAvailable ? (isReady ? 'ready' : 'syncing') : 'unavailable';
      const key = `${status} ${headBlock} ${readBlock} ${trouble}`;
      if (key === reported) return;
      reported = key;
      onHead({ status, headBlock, confirmedBlock, blocksToSync, trouble });
    },
  };
}

/** Looks once for each head whether the cursor's block is below it. */
function createReorgCheck(client: ChainClient) {
  let soundHead: Hash | null = null;
  return {
    /** The head's ancestors were read down to the cursor's block. */
    noteSound({ hash }: Header): void {
      soundHead = hash;
    },
    async reorgBelow({ hash }: Header, cursor: Cursor): Promise<DeepReorg | null> {
      if (hash === soundHead) return null;
      const reorg = await findDeepReorg(client, cursor);
      if (reorg === null) soundHead = hash;
      return reorg;
    },
  };
}
