/**
 * A range of blocks in portions: anybody can fill a block with logs, so a range, and even a block, may be more than can
 * be handled at once.
 */
import type { Hash } from '../../basics/hex.ts';
import type { Cursor, LogBatch } from './batches.ts';

export type HandledUpTo = Cursor & { hash: Hash };

/** How far the blocks are handled after the first `count` logs of the batch. */
export function placeAfter(batch: LogBatch, count: number): HandledUpTo {
  const { logs, hashes, toBlock, toHash } = batch;
  const [last, next] = [logs[count - 1], logs[count]];
  if (next === undefined) return { block: toBlock, hash: toHash };
  if (last === undefined) throw new Error('nothing of the batch is handled');
  const { block, logIndex } = last.at;
  const hash = hashes.get(block);
  if (hash === undefined) throw new Error(`the hash of block ${block} is not known`);
  return next.at.block === block ? { block, hash, lastLog: logIndex } : { block, hash };
}

/**
 * The newest block by then: the one before the next log's, or the block in the middle of which this is. Whoever relies
 * on a block being whole waits for a later one.
 */
export function blockAfter({ logs, toBlock }: LogBatch, count: number): bigint {
  const [last, next] = [logs[count - 1], logs[count]];
  if (next === undefined) return toBlock;
  return last?.at.block === next.at.block ? next.at.block : next.at.block - 1n;
}

/**
 * The batch in portions of at most so many logs, each with the place to which the blocks are handled with it. The block
 * of that place may go on in the next portion; `toBlock` is the newest that does not.
 */
export function* portionsOf(
  batch: LogBatch,
  most: number,
): Generator<{ portion: LogBatch; place: HandledUpTo }> {
  const { logs } = batch;
  let fromBlock = batch.fromBlock;
  for (let first = 0; first === 0 || first < logs.length; first += most) {
    const count = Math.min(first + most, logs.length);
    const place = placeAfter(batch, count);
    const toBlock = place.lastLog === undefined ? place.block : place.block - 1n;
    yield { portion: { ...batch, fromBlock, toBlock, logs: logs.slice(first, count) }, place };
    fromBlock = toBlock + 1n;
  }
}

/** The batch without the logs that were handled already. */
export function restAfter({ block, lastLog }: Cursor, batch: LogBatch): LogBatch {
  if (lastLog === undefined) return batch;
  const isNew = ({ at }: LogBatch['logs'][number]) => at.block !== block || at.logIndex > lastLog;
  return { ...batch, logs: batch.logs.filter(isNew) };
}
