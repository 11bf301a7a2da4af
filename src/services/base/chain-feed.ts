/**
 * Feeds confirmed blocks to a service, each exactly once: the cursor is committed together with what the blocks
 * changed.
 */
import type { LogBatch } from '../../chain/batches.ts';
import type { ChainClient } from '../../chain/client.ts';
import { createWatcher, type HeadStatus } from '../../chain/watcher.ts';
import type { Address } from '../../protocol/hex.ts';
import { isHexOf } from '../../protocol/hex.ts';
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
  /** Called after the commit, when the rows are on disk. The next batch is read when it is done. */
  applied: (batch: LogBatch) => void | Promise<void>;
  onHead: (status: HeadStatus) => void;
  /** Called once; no block is fed after it. `reason` is a sentence. */
  onFatal: (reason: string, error: unknown) => void;
  pollIntervalMs: number;
};

export function createChainFeed(options: ChainFeedOptions) {
  const { database, store, applied, onFatal, ...rest } = options;
  const { meta } = database;
  return createWatcher({
    ...rest,
    start: startOf(options),
    async onBatch(batch) {
      database.write(() => {
        store(batch);
        meta.set('cursorBlock', batch.toBlock.toString());
        meta.set('cursorHash', batch.toHash);
      });
      await applied(batch);
    },
    onDeepReorg: ({ block }) =>
      onFatal(
        `block ${block} was replaced although it was confirmed: start again with a new database, and with more --confirmations`,
        null,
      ),
    onFailure: (error) => onFatal('blocks of the chain could not be handled', error),
  });
}

function startOf({ database: { meta }, deployBlock }: ChainFeedOptions) {
  const block = meta.get('cursorBlock');
  const hash = meta.get('cursorHash');
  return block === null || !isHexOf(hash, 32) ? { deployBlock } : { block: BigInt(block), hash };
}
