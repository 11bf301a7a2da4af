/**
 * Becomes the owner of the stream: brings the database up to the stream's newest record, and adds the record of a new
 * epoch behind it. From then on the records of every other node are refused.
 */
import { messageOf } from '../basics/message-of.ts';
import type { Replay } from '../store/durability/replay.ts';
import {
  type FindOptions,
  findEnd,
  type NotOwned,
  type OwnProblem,
  STREAM_ORIGIN,
} from './find-end.ts';
import {
  decodePosition,
  encodePosition,
  type Sending,
  type StreamPoint,
  type StreamPosition,
} from './position.ts';
import { encodeOwner, type StreamOwner } from './reader.ts';
import { sealRecord } from './record.ts';
import type { RecordStream } from './stream.ts';

export type Owned =
  /**
   * `needsBase`: the stream lacks a copy of the database, or some of what is in it. `hasGap`: the copy has to be in the
   * stream before anything follows from the database. `madeAt`: as in `Bounds`.
   */
  | {
      ok: true;
      epoch: number;
      start: StreamPoint;
      needsBase: boolean;
      hasGap: boolean;
      madeAt: string;
    }
  | NotOwned;

export type OwnOptions = FindOptions & {
  owner: StreamOwner;
  /**
   * Asks the node that owns the stream in this epoch to write nothing until the returned function is called; never rejects.
   * Null: the stream is taken from no node that writes, since only its silence was the reason.
   */
  quieten: ((epoch: number) => Promise<() => void>) | null;
  /** Whether the operator has put an empty stream into the place of one that was lost. Default false. */
  renews?: boolean;
};

/** How many times another node may write between the look at the stream and this node's record. */
const MOST_TRIES = 20;

/** Never rejects. What it did not finish, the next call goes on with. */
export async function ownStream(given: OwnOptions): Promise<Owned> {
  const options = { ...given, stream: marked(given.stream) };
  let release: (() => void) | null = null;
  try {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const result = await attempt(options);
      if (!('overtakenIn' in result)) return result;
      if (options.takesFrom === null) continue;
      if (options.quieten === null)
        return refused('alive', 'the node that was silent writes again');
      release ??= await options.quieten(result.overtakenIn);
    }
    return refused('away', 'other nodes write into the stream all the time');
  } catch (error) {
    const message = messageOf(error);
    // Whatever else fails is this machine's: a stream that is away is waited for, and this would be waited for in vain.
    return refused(error instanceof Error && error.cause === AWAY ? 'away' : 'unfit', message);
  } finally {
    release?.();
  }
}

/** The cause of an error of the stream. */
const AWAY = Symbol('the stream is away');

/** The stream, whose failures are known again among others. */
function marked(stream: RecordStream): RecordStream {
  const mark = (error: unknown): never => {
    throw new Error(messageOf(error), { cause: AWAY });
  };
  return {
    ...stream,
    append: (...record) => stream.append(...record).catch(mark),
    bounds: () => stream.bounds().catch(mark),
    read: (sequence) => stream.read(sequence).catch(mark),
  };
}

const refused = (problem: OwnProblem, message: string): Owned => ({ ok: false, problem, message });

/** `overtakenIn`: the owner of this epoch has written in between. */
async function attempt(options: OwnOptions): Promise<Owned | { overtakenIn: number }> {
  const { stream, keys, replay } = options;
  const noted = replay.place();
  const place = noted === null ? null : decodePosition(noted);
  const bounds = await stream.bounds();
  if (bounds === null) return refused('unmade', 'the broker has no such stream');
  const found = await findEnd(options, place, bounds);
  if (!found.ok) {
    if (found.problem !== 'behind' || bounds.last > 0 || options.renews !== true) return found;
    note(replay, renewed);
    return attempt({ ...options, renews: false });
  }
  const { at, needsBase, hasGap, lacking } = found;
  const overtaken = { overtakenIn: found.epoch };
  for (const one of lacking) if (!(await sendAgain(options, one))) return overtaken;
  const epoch = found.epoch + 1;
  const sequence = at.sequence + 1;
  const head = { kind: 'epoch', epoch, sequence, link: Buffer.from(at.tag, 'hex') } as const;
  const { bytes, tag } = sealRecord(keys, head, encodeOwner({ ...options.owner, hasGap }));
  const start = { sequence, tag: Buffer.from(tag).toString('hex') };
  // Noted before it is sent: should this process die in between, the record is known again.
  note(replay, (now) => {
    const before = now ?? { at, epoch: found.epoch, isOwner: true, onTheWay: [] };
    return { ...before, acknowledged: at, onTheWay: [...before.onTheWay, start] };
  });
  const appended = await stream.append(bytes, sequence, 'epoch');
  if (!appended.ok && !(await hasArrived(stream, sequence, bytes))) return overtaken;
  const own = { at: start, acknowledged: start, epoch, isOwner: true, onTheWay: [], hasGap };
  note(replay, () => own);
  replay.noteCurrent();
  const { madeAt } = bounds;
  return { ok: true, epoch, start, needsBase: needsBase || !replay.hasOwnSchema(), hasGap, madeAt };
}

/** The place of an owner whose stream begins again: nothing of its database is there. */
function renewed(now: StreamPosition | null): StreamPosition {
  const epoch = now?.epoch ?? 0;
  return { at: STREAM_ORIGIN, acknowledged: STREAM_ORIGIN, epoch, isOwner: true, onTheWay: [] };
}

/** Notes what becomes of the place that the database notes by now, which catching up has moved. */
function note(replay: Replay, change: (now: StreamPosition | null) => StreamPosition): void {
  const from = replay.place();
  const to = encodePosition(change(from === null ? null : decodePosition(from)));
  replay.apply({ writes: [], from, to });
}

/** False: another record is there. */
async function sendAgain({ stream }: OwnOptions, { sequence, bytes = '' }: Sending) {
  const record = Buffer.from(bytes, 'base64');
  const appended = await stream.append(record, sequence, 'log');
  return appended.ok || (await hasArrived(stream, sequence, record));
}

async function hasArrived(stream: RecordStream, sequence: number, bytes: Uint8Array) {
  const found = await stream.read(sequence);
  return found !== null && Buffer.compare(found, bytes) === 0;
}
