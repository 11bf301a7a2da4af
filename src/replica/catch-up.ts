/** Does again in a database what the records of the stream say. */
import type { Write } from '../store/capture.ts';
import type { Replay } from '../store/replay.ts';
import { encodePlace, type Point } from './place.ts';
import type { Owner, Reader, Step } from './reader.ts';
import type { RecordStream } from './stream.ts';

export type CaughtUp =
  | { ok: true }
  | { ok: false; problem: 'broken' | 'forgotten'; message: string };

type Options = {
  stream: RecordStream;
  reader: Reader;
  replay: Pick<Replay, 'apply'>;
  /** Whether the owner of the newest epoch has transactions that the stream lacks; see `Place`. */
  hasGap?: boolean;
  /** Whether the database still is that of the owner, after what was read. */
  isOwner(): boolean;
  /** Called with each epoch that is met. */
  onEpoch(epoch: number, owner: Owner, at: Point): void;
};

/** Records that are read before they are written into the database, in one transaction. */
const MOST_AT_ONCE = 500;

export function createCatchUp(options: Options) {
  const { stream, reader, replay, isOwner, onEpoch } = options;
  let hasGap = options.hasGap ?? false;
  let writes: Write[] = [];
  let held = 0;

  function take(step: Step) {
    if (step.type === 'transaction') writes.push(...step.writes);
    if (step.type === 'epoch') {
      hasGap = step.owner.hasGap ?? false;
      onEpoch(step.epoch, step.owner, reader.at());
    }
    held += 1;
    if (held >= MOST_AT_ONCE) write();
  }

  /** Brings what was read into the database. */
  function write() {
    if (held === 0) return;
    const at = reader.at();
    const place = { at, acknowledged: at, isOwner: isOwner(), onTheWay: [], hasGap };
    replay.apply(writes, encodePlace(place));
    writes = [];
    held = 0;
  }

  /** Takes one record, which is in the database at the latest after `write`. */
  function accept(sequence: number, bytes: Uint8Array): CaughtUp {
    const next = reader.at().sequence + 1;
    if (sequence > next) {
      const message = `record ${next} is not in the stream any more: it begins at ${sequence}`;
      return { ok: false, problem: 'forgotten', message };
    }
    const read = reader.read(sequence, bytes);
    if (!read.ok) return read;
    const { type } = read.step;
    // Until then nothing has followed from what is missing here, and whoever takes over goes on without it.
    if (hasGap && (type === 'transaction' || type === 'base')) {
      const message = `record ${sequence} goes on from what only a copy in the stream has`;
      return { ok: false, problem: 'forgotten', message };
    }
    take(read.step);
    return { ok: true };
  }

  return {
    accept,
    write,
    /** Reads up to the record `last`. Rejects when the stream cannot be reached. */
    async until(last: number): Promise<CaughtUp> {
      if (reader.at().sequence >= last) return { ok: true };
      const stop = new AbortController();
      try {
        for await (const { sequence, bytes } of stream.follow(
          reader.at().sequence + 1,
          stop.signal,
        )) {
          const accepted = accept(sequence, bytes);
          if (!accepted.ok) return accepted;
          if (sequence >= last) break;
        }
        if (reader.at().sequence < last) throw new Error('the stream ended while it was read');
        return { ok: true };
      } finally {
        stop.abort();
        write();
      }
    },
  };
}
