/** Ranges of confirmed blocks, as the chain's reader hands them on. */
import type { LogBatch } from '../../src/chain/watch/batches.ts';
import { secretRevealed } from './makers.ts';
import { hash } from './store.ts';

/** A range with one registered secret for each of `blocks`, in ascending order; its indexes count through the range. */
export function rangeOf({ toBlock, blocks }: { toBlock: bigint; blocks: bigint[] }): LogBatch {
  const logs = blocks.map((block, logIndex) => {
    const { nowBlock: _, ...log } = secretRevealed(block, logIndex + 1);
    return { ...log, at: { ...log.at, logIndex } };
  });
  const hashes = new Map(blocks.map((block) => [block, hash(block)]));
  return { fromBlock: blocks[0] ?? toBlock, toBlock, toHash: hash(toBlock), logs, hashes };
}
