/**
 * The newest records that the stream has acknowledged. A stream that loses some of them, as one may whose servers change
 * their leader, gets them again: they were the node's, and only it knows them.
 */
import type { StreamPoint } from './position.ts';
import type { Track } from './stream.ts';

export type Item = { bytes: Uint8Array; point: StreamPoint; track: Track };

/**
 * What is kept in memory: what a busy node writes in ten seconds. A server of a stream (nats-server 2.9.10) was seen to
 * lead it, after it had slept, with an end that was so much older.
 */
const MOST_BYTES = 32 * 1_048_576;
/** Of an idle node, whose records are small. */
const MOST_RECORDS = 8_192;

export function createRetained() {
  let items: Item[] = [];
  let bytes = 0;
  return {
    /** The record was acknowledged just now. */
    add(item: Item): void {
      items.push(item);
      bytes += item.bytes.length;
      while (bytes > MOST_BYTES || items.length > MOST_RECORDS)
        bytes -= items.shift()?.bytes.length ?? bytes;
    },
    /** The record with this number, if it is kept. */
    at: (sequence: number): Item | undefined =>
      items.find(({ point }) => point.sequence === sequence),
    /** Those behind the record `last`. */
    after: (last: number): Item[] => items.filter(({ point }) => point.sequence > last),
    /** Forgets those behind the record `last`. */
    cut(last: number): void {
      items = items.filter(({ point }) => point.sequence <= last);
      bytes = items.reduce((sum, item) => sum + item.bytes.length, 0);
    },
  };
}
