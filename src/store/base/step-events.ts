/**
 * The events of the journal's steps, compressed many at a time: the half dozen steps that tell of a payment repeat the same
 * order, hashes and addresses, and one by one they would be four fifths of what the payment takes on the disk.
 *
 * Steps whose numbers follow each other share a block, which is in the row of the last of them: rows are deleted from the
 * oldest on, so no step loses its event.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { customType } from 'drizzle-orm/sqlite-core';
import { type Blob, bytesOf } from './columns.ts';

/** Characters and steps after which a block is full: whoever wants one event reads all of its block. */
const FULL_TEXT = 65_536;
const FULL_STEPS = 256;
/** The quickest. Better ones save a twentieth of the bytes. */
const LEVEL = 1;

/** A block as deflated text, one event a line: the codec's text has no line breaks. Bound as hexadecimal digits. */
export const eventsBlob = customType<{ data: string[]; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver: (events) => deflateRawSync(events.join('\n'), { level: LEVEL }).toString('hex'),
  fromDriver: (value) => inflateRawSync(bytesOf(value)).toString().split('\n'),
});

/** For each step the block that is stored with it; null: it is in that of a later one. */
export function blocksOf(events: readonly string[]): (string[] | null)[] {
  let block: string[] = [];
  let length = 0;
  return events.map((event, at) => {
    block.push(event);
    length += event.length;
    const isLast = at === events.length - 1 || length >= FULL_TEXT || block.length === FULL_STEPS;
    if (!isLast) return null;
    const full = block;
    block = [];
    length = 0;
    return full;
  });
}

/** The first block that is stored with this step or a later one, and with which. */
type Find = (seq: number) => { seq: number; events: string[] | null } | undefined;

/**
 * Answers the event of a step; undefined when it was deleted since its row was read, by the process that writes. The last
 * block is kept: whoever reads on needs it again.
 */
export function prepareEvents(find: Find): (seq: number) => string | undefined {
  let last = 0;
  let events: readonly string[] = [];
  return (seq) => {
    if (seq > last || seq <= last - events.length) {
      const found = find(seq);
      last = found?.seq ?? 0;
      events = found?.events ?? [];
    }
    return events[events.length - 1 - (last - seq)];
  };
}
