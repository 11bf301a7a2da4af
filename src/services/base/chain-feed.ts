/**
 * Feeds confirmed blocks to a service, each log exactly once: the place to which the blocks are handled is committed
 * together with what their logs changed. Anybody can fill blocks with logs, so a commit takes a few, and the service does
 * other work in between.
 */

import { breathe } from '../../basics/breather.ts';
import type { Address } from '../../basics/hex.ts';
import { isHexOf } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import type { LogBatch } from '../../chain/watch/batches.ts';
import { type HandledUpTo, portionsOf } from '../../chain/watch/portions.ts';
import { createWatcher, type HeadStatus } from '../../chain/watch/watcher.ts';
import type { ServiceDatabase } from './database.ts';

export type ChainFeedOptions = {
  client: ChainClient;
  database: ServiceDatabase;
  registry: Address;
  secretRegistry: Address;
  /** The first block that can hold a log of the contracts. */
  deployBlock: bigint;
  confirmations: bigint;
  /** The token networks that the service knows already. */
  tokenNetworks: readonly Address[];
  /** Called inside the transaction: writes rows and nothing else. A throw undoes all of it and ends the feed. */
  store: (batch: LogBatch) => void;
  /**
   * Called after the commit, when the rows are on disk; the batch may end within a block, then `toBlock` is the one
   * before it. The next batch comes when it is done.
   */
  applied: (batch: LogBatch) => void | Promise<void>;
  onHead: (status: HeadStatus) => void;
  /** Called once; no block is fed after it. `reason` is a sentence. */
  onFatal: (reason: string, error: unknown) => void;
  pollIntervalMs: number;
};

/** Logs in one commit. */
const LOGS_AT_ONCE = 100;

export function createChainFeed(options: ChainFeedOptions) {
  const { database, store, applied, onFatal, ...rest } = options;
  const { meta } = database;

  function commit(portion: LogBatch, { block, hash, lastLog }: HandledUpTo): void {
    database.write(() => {
      store(portion);
      meta.set('cursorBlock', block.toString());
      meta.set('cursorHash', hash);
      meta.set('cursorLog', lastLog?.toString() ?? '');
    });
  }

  let isEnded = false;
  const watcher = createWatcher({
    ...rest,
    start: startOf(options),
    async onBatch(batch) {
      for (const { portion, place } of portionsOf(batch, LOGS_AT_ONCE)) {
        if (isEnded) return;
        commit(portion, place);
        await applied(portion);
        if (portion.logs.length === LOGS_AT_ONCE) await breathe();
      }
    },
    onDeepReorg: ({ block }) =>
      onFatal(
        `block ${block} was replaced although it was confirmed: start again with a new database, and with more --confirmations`,
        null,
      ),
    onFailure: (error) => onFatal('blocks of the chain could not be handled', error),
  });
  return {
    ...watcher,
    start: () => watcher.start(options.tokenNetworks),
    stop(): Promise<void> {
      isEnded = true;
      return watcher.stop();
    },
  };
}

function startOf({ database: { meta }, deployBlock }: ChainFeedOptions) {
  const block = meta.get('cursorBlock');
  const hash = meta.get('cursorHash');
  const lastLog = meta.get('cursorLog') ?? '';
  if (block === null || !isHexOf(hash, 32)) return { deployBlock };
  const place = { block: BigInt(block), hash };
  return lastLog === '' ? place : { ...place, lastLog: Number(lastLog) };
}
