/**
 * Many simulated nodes read the same logs of one chain. Endpoints without faults give the same answers to all of
 * them: so the node's own reader reads and checks them once, for the first node that asks, and all others get the
 * same frozen logs. A node whose endpoint has a fault reads for itself.
 *
 * A node that keeps no copy of the network passes over nearly all of these logs, and a thousand nodes would do so a
 * thousand times. It gets its share of them, which costs as much as it holds.
 */

import { getOrMake } from '../../basics/get-or-make.ts';
import type { Address } from '../../basics/hex.ts';
import type { ChainClient } from '../../chain/client.ts';
import { type BatchReader, createBatchReader, type LogBatch } from '../../chain/watch/batches.ts';
import { createShares } from './log-shares.ts';

type Answer = ReturnType<BatchReader>;
/** Whose reader it is; `mayShare`: whether its endpoint has no fault now. */
type Reader = { own: ChainClient; mayShare: () => boolean; shareOf: Address | null };

/** Block ranges that are kept: all running nodes are within a few blocks of each other. */
const KEPT = 64;

/** `client`: of an endpoint that never has a fault. */
export function createSharedBatches(client: ChainClient) {
  const read = createBatchReader(client);
  const known = new Map<string, Answer>();
  const shares = new WeakMap<LogBatch, ReturnType<typeof createShares>>();

  function ask(...[cursor, request]: Parameters<BatchReader>): Answer {
    const key = keyOf(cursor, request);
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = read(cursor, request).then(frozen);
    known.set(key, answer);
    if (known.size > KEPT) known.delete(known.keys().next().value ?? '');
    // A failed read is forgotten, so that the next node reads again.
    answer.catch(() => known.delete(key));
    return answer;
  }

  function shareIn(batch: LogBatch, node: Address): LogBatch {
    const found = getOrMake(shares, batch, () => createShares(batch.logs));
    return { ...batch, logs: found.of(node) };
  }

  return {
    /** The reader of one node. `shareOf`: the node, if its share is enough for it; null: it reads the logs of all. */
    readerOf({ own, mayShare, shareOf }: Reader): BatchReader {
      const alone = createBatchReader(own);
      return (cursor, request) => {
        if (!mayShare()) return alone(cursor, request);
        const asked = ask(cursor, request);
        if (shareOf === null) return asked;
        return asked.then((read) => ('foundHash' in read ? read : shareIn(read, shareOf)));
      };
    },
  };
}

/** The key of a question; the hash of the head identifies the whole chain below it. */
function keyOf(...[cursor, request]: Parameters<BatchReader>): string {
  const { fromBlock, toBlock, nearBlock, soundBlock, head, tokenNetworks } = request;
  return [
    cursor.hash,
    fromBlock,
    toBlock,
    nearBlock,
    soundBlock,
    head.hash,
    ...tokenNetworks,
  ].join();
}

/** Freezes the logs, so that no node can change what another one reads. */
function frozen(read: Awaited<Answer>): Awaited<Answer> {
  if ('foundHash' in read) return read;
  for (const log of read.logs) {
    Object.freeze(log.at);
    Object.freeze(log);
  }
  Object.freeze(read.logs);
  return Object.freeze(read);
}
