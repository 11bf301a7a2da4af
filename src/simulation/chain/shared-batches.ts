/**
 * Many machines ask equal questions about one chain. What endpoints without any fault answer is the same for
 * all of them, so the first who asks has it read and checked, by the node's own reader, and all others get
 * the same frozen logs. A machine whose endpoint does anything wrong reads for itself.
 */
import { type BatchReader, createBatchReader } from '../../chain/batches.ts';
import type { ChainClient } from '../../chain/client.ts';

type Answer = ReturnType<BatchReader>;

/** Ranges that are kept: all machines that run are within a few blocks of each other. */
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
    // What could not be read is asked for again.
    answer.catch(() => known.delete(key));
    return answer;
  }

  return {
    /** The reader of one machine. `mayShare`: whether its endpoint has no fault now. */
    readerOf(own: ChainClient, mayShare: () => boolean): BatchReader {
      const alone = createBatchReader(own);
      return (cursor, request) => (mayShare() ? ask(cursor, request) : alone(cursor, request));
    },
  };
}

/** The head's hash stands for the whole chain under it. */
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

/** No machine can change what another one reads. */
function frozen(read: Awaited<Answer>): Awaited<Answer> {
  if ('foundHash' in read) return read;
  for (const log of read.logs) {
    Object.freeze(log.at);
    Object.freeze(log);
  }
  Object.freeze(read.logs);
  return Object.freeze(read);
}
