/**
 * Many simulated nodes read the same logs of one chain. Endpoints without faults give the same answers to all of
 * them: so the node's own reader reads and checks them once, for the first node that asks, and all others get the
 * same frozen logs. A node whose endpoint has a fault reads for itself.
 */
import { type BatchReader, createBatchReader } from '../../chain/batches.ts';
import type { ChainClient } from '../../chain/client.ts';

type Answer = ReturnType<BatchReader>;

/** Block ranges that are kept: all running nodes are within a few blocks of each other. */
const KEPT = 64;

/** `client`: of an endpoint that never has a fault. */
export function createSharedBatches(client: ChainClient) {
  const read = createBatchReader(client);
  const known = new Map<string, Answer>();

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

  return {
    /** The reader of one node. `mayShare`: whether its endpoint has no fault now. */
    readerOf(own: ChainClient, mayShare: () => boolean): BatchReader {
      const alone = createBatchReader(own);
      return (cursor, request) => (mayShare() ? ask(cursor, request) : alone(cursor, request));
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
