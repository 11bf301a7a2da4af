/** Does again in a database what the records of the stream say. */
import { messageOf } from '../basics/message-of.ts';
import type { Write } from '../store/durability/capture.ts';
import type { Replay } from '../store/durability/replay.ts';
import { encodePosition, type Sending, type StreamPoint } from './position.ts';
import type { ReadStep, RecordReader, StreamOwner } from './reader.ts';
import type { RecordStream } from './stream.ts';

/**
 * `away`: the stream cannot be reached; `unfit`: the database cannot take what the stream says: what it holds is
 * not what its place says, or nothing can be written into it.
 */
export type CaughtUpTo =
  | { ok: true }
  | { ok: false; problem: 'broken' | 'forgotten' | 'away' | 'unfit'; message: string };

type Options = {
  stream: RecordStream;
  /** It continues the place that the database notes. */
  reader: RecordReader;
  replay: Pick<Replay, 'apply' | 'place'>;
  /** Whether the owner of the newest epoch has transactions that the stream lacks; see `Position`. */
  hasGap?: boolean;
  /** Records of this database's own node that the stream may not have shown yet: they stay noted. */
  onTheWay?: readonly Sending[];
  /** Whether the database still is that of the owner, after what was read. */
  isOwner(): boolean;
  /** Called with each epoch that is met. */
  onEpoch(epoch: number, owner: StreamOwner, at: StreamPoint): void;
};

/** Records that are read before they are written into the database, in one transaction. */
const MOST_AT_ONCE = 500;
const FEW = 64;

export function createCatchUp(options: Options) {
  const { stream, reader, replay, isOwner, onEpoch, onTheWay = [] } = options;
  let hasGap = options.hasGap ?? false;
  let writes: Write[] = [];
  let held = 0;
  /** The place that the database notes: of the record before those that are held. */
  let noted = replay.place();

  function take(step: ReadStep) {
    if (step.type === 'transaction') writes.push(...step.writes);
    if (step.type === 'epoch') {
      hasGap = step.owner.hasGap ?? false;
      onEpoch(step.epoch, step.owner, reader.at());
    }
    held += 1;
    if (held >= MOST_AT_ONCE) bring();
  }

  function bring() {
    const epoch = reader.epoch();
    if (held === 0 || epoch === null) return;
    const at = reader.at();
    const later = onTheWay.filter(({ sequence }) => sequence > at.sequence);
    const place = { at, acknowledged: at, epoch, isOwner: isOwner(), onTheWay: later, hasGap };
    const to = encodePosition(place);
    replay.apply({ writes, from: noted, to });
    noted = to;
    writes = [];
    held = 0;
  }

  function acceptNext(sequence: number, bytes: Uint8Array): CaughtUpTo {
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

  /** Takes one record, which is in the database at the latest after `write`. */
  const accept = (sequence: number, bytes: Uint8Array) =>
    orUnfit(() => acceptNext(sequence, bytes));

  /** Brings what was read into the database. */
  const write = () =>
    orUnfit(() => {
      bring();
      return { ok: true };
    });

  async function read(last: number): Promise<CaughtUpTo> {
    const stop = new AbortController();
    try {
      const records = recordsTo(last, stop.signal);
      for await (const { sequence, bytes } of records) {
        const accepted = accept(sequence, bytes);
        if (!accepted.ok) return accepted;
        if (sequence >= last) return { ok: true };
      }
      return { ok: false, problem: 'away', message: 'the stream ended while it was read' };
    } catch (error) {
      return { ok: false, problem: 'away', message: messageOf(error) };
    } finally {
      stop.abort();
    }
  }

  /** A few are asked for one by one: to be sent them takes the servers longer to begin with. */
  async function* recordsTo(last: number, stop: AbortSignal) {
    while (last - reader.at().sequence <= FEW) {
      const sequence = reader.at().sequence + 1;
      const bytes = await stream.read(sequence);
      if (bytes === null) break;
      yield { sequence, bytes };
    }
    yield* stream.follow(reader.at().sequence + 1, stop);
  }

  return {
    accept,
    write,
    /** Reads up to the record `last`. Never rejects. */
    async until(last: number): Promise<CaughtUpTo> {
      const reached: CaughtUpTo = reader.at().sequence >= last ? { ok: true } : await read(last);
      const written = write();
      return reached.ok ? written : reached;
    },
  };
}

/** What fails here is the database, or records of this key that no program of this kind has written. */
function orUnfit(work: () => CaughtUpTo): CaughtUpTo {
  try {
    return work();
  } catch (error) {
    return { ok: false, problem: 'unfit', message: messageOf(error) };
  }
}
