/** Reads records one after the other, and believes only what continues the chain. */
import * as v from 'valibot';
import type { Write } from '../store/durability/capture.ts';
import type { StreamPoint } from './position.ts';
import { type OpenedRecord, openRecord, type RecordKeys } from './record.ts';
import { decodeWrites } from './writes.ts';

export const ownerContent = v.object({
  /** Where the owner runs, for people. */
  host: v.string(),
  pid: v.number(),
  /** Milliseconds since 1970. */
  time: v.number(),
  version: v.string(),
  /** The schema of the owner's database. */
  schema: v.string(),
  /** Whether it has transactions that the stream lacks: then nothing follows before a copy that has them. */
  hasGap: v.optional(v.boolean()),
});
/** Who took the stream. */
export type StreamOwner = v.InferOutput<typeof ownerContent>;

/** `transaction`: it is complete with this record; `none`: there is nothing to do for this record. */
export type ReadStep =
  | { type: 'transaction'; writes: Write[] }
  | { type: 'epoch'; epoch: number; owner: StreamOwner }
  | { type: 'piece'; content: Uint8Array }
  | { type: 'base'; content: Uint8Array }
  | { type: 'none' };
/** `broken`: the record is not what the owner has written at this place. */
export type ReadRecord =
  | { ok: true; step: ReadStep }
  | { ok: false; problem: 'broken'; message: string };

export type RecordReader = ReturnType<typeof createRecordReader>;

/** Throws when it is no content of an epoch: a holder of the keys has written something else. */
export function decodeOwner(content: Uint8Array): StreamOwner {
  return v.parse(ownerContent, JSON.parse(new TextDecoder().decode(content)));
}

export function encodeOwner(owner: StreamOwner): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(owner));
}

/** Continues after the record `start`, whose epoch may be unknown (null). */
export function createRecordReader(
  keys: RecordKeys,
  start: StreamPoint,
  startEpoch: number | null = null,
) {
  let at = start;
  let epoch = startEpoch;
  let parts: Uint8Array[] = [];

  function problemOf({ head }: OpenedRecord, sequence: number): string | null {
    if (head.sequence !== sequence || sequence !== at.sequence + 1) return 'it is at another place';
    if (Buffer.from(head.link).toString('hex') !== at.tag)
      return 'it does not continue the record before it';
    if (epoch === null) return null;
    const wanted = head.kind === 'epoch' ? epoch + 1 : epoch;
    return head.epoch === wanted ? null : `it is of epoch ${head.epoch}, not ${wanted}`;
  }

  function stepOf({ head, content }: OpenedRecord): ReadStep {
    const begun = parts;
    // Whatever comes between the pieces of a transaction says that its end will never come.
    parts = [];
    switch (head.kind) {
      case 'part':
        parts = [...begun, content];
        return { type: 'none' };
      case 'commit':
        return { type: 'transaction', writes: decodeWrites(Buffer.concat([...begun, content])) };
      case 'epoch':
        return { type: 'epoch', epoch: head.epoch, owner: decodeOwner(content) };
      case 'piece':
        return { type: 'piece', content };
      case 'base':
        return { type: 'base', content };
      case 'pulse':
        return { type: 'none' };
    }
  }

  return {
    at: (): StreamPoint => at,
    /** Null as long as no record was read. */
    epoch: (): number | null => epoch,
    read(sequence: number, bytes: Uint8Array): ReadRecord {
      const opened = openRecord(keys, bytes);
      const message =
        opened === null ? 'it was not sealed by this key' : problemOf(opened, sequence);
      if (opened === null || message !== null)
        return { ok: false, problem: 'broken', message: `record ${sequence}: ${message}` };
      const step = stepOf(opened);
      at = { sequence, tag: Buffer.from(opened.tag).toString('hex') };
      epoch = opened.head.epoch;
      return { ok: true, step };
    },
  };
}
