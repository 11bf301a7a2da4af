/** Follows the stream of another node into a database of its own, until that node is silent or somebody says so. */

import type { Clock } from '../basics/environment.ts';
import { messageOf } from '../basics/message-of.ts';
import { toldOnce } from '../basics/told-once.ts';
import type { Replay } from '../store/durability/replay.ts';
import { type CaughtUpTo, createCatchUp } from './catch-up.ts';
import { decodePosition, type StreamPoint } from './position.ts';
import { createRecordReader, type StreamOwner } from './reader.ts';
import { openRecord, type RecordKeys, tagOf } from './record.ts';
import type { RecordStream } from './stream.ts';

/** What is known of the owner and of the way to it. */
export type Following = {
  at: StreamPoint;
  /** Null as long as the stream does not show it. */
  epoch: number | null;
  owner: StreamOwner | null;
  /** Milliseconds since the last record; less when the stream was away since. */
  silentMs: number;
};
/**
 * `due`: it is time to take over, from the owner of this epoch; null: the stream does not show it. `isOrdered`: somebody
 * has said so, and the owner may live. `problem`: the database has to be built again from a copy in the stream.
 */
export type StandbyEnd =
  | { type: 'due'; takesFrom: number | null; isOrdered: boolean }
  | { type: 'stopped' }
  | { type: 'problem'; message: string };
/** Why it ends, before it is known whose place is to be taken. */
type Ending = { type: 'due' } | { type: 'stopped' } | Extract<StandbyEnd, { type: 'problem' }>;

type Options = {
  stream: RecordStream;
  keys: RecordKeys;
  replay: Replay;
  /** The schema that this program writes. */
  schema: string;
  /** Milliseconds of silence after which it takes over; null: never by itself. */
  takeoverAfterMs: number | null;
  clock: Clock;
  /** Aborted when somebody orders the takeover. */
  order: AbortSignal;
  stop: AbortSignal;
  onTrouble(message: string): void;
};

/** How late what was read may be in the database, and how often the owner's silence is measured. */
const WRITE_MS = 50;
const RETRY_MS = 500;
/** Silence after which the stream is asked whether it is there: longer than between two pulses. */
const ASK_AFTER_MS = 1_500;
/** So long it may take the owner to notice that the stream is back: its question was lost, and it asks again. */
const NOTICED_MS = 3_000;
/** A server that shows nothing new for so long, although there is more, is left for another one. */
const STUCK_MS = 3_000;
/** An answer that took longer was waited for while the stream was away. */
const SLOW_MS = 1_000;

export function createStandby(options: Options) {
  const { stream, keys, replay, clock, order, stop, takeoverAfterMs } = options;
  const noted = replay.place();
  if (noted === null) throw new Error('replica: the database has no place in the stream');
  const place = decodePosition(noted);
  const reader = createRecordReader(keys, place.at);
  const now = () => clock.elapsed();
  let heardAt = now();
  let owner: StreamOwner | null = null;
  /** That of the newest record that was there before this process began. */
  let foundEpoch: number | null = null;
  /** Whether this database was to begin the stream: then nothing of it is there. */
  const isUnread = place.isOwner && place.at.sequence === 0;
  let foreignSchema: string | null = null;
  let failure: string | null = null;
  /** Why it could not follow, until it reads again. */
  const trouble = toldOnce(options.onTrouble);
  /** Ends the present reading, so that it begins again. */
  let breakOff = () => {};
  const catching = createCatchUp({
    stream,
    reader,
    replay,
    hasGap: place.hasGap ?? false,
    onTheWay: place.onTheWay,
    isOwner: () => false,
    onEpoch(_epoch, found) {
      owner = found;
      if (found.schema !== options.schema) foreignSchema = found.schema;
    },
  });

  function write() {
    const written = catching.write();
    if (!written.ok) failure = written.message;
  }

  function accept(sequence: number, bytes: Uint8Array): CaughtUpTo {
    if (isUnread && sequence === 1 && place.onTheWay.every(({ tag }) => tag !== tagOf(bytes))) {
      const message = 'another node has begun the stream, and it has nothing of this database';
      return { ok: false, problem: 'forgotten', message };
    }
    const accepted = catching.accept(sequence, bytes);
    if (accepted.ok) {
      heardAt = now();
      trouble.forget();
    }
    return accepted;
  }

  /** Reads until the stream breaks off, or `stopped`. */
  async function read(stopped: AbortSignal): Promise<Ending | null> {
    for await (const { sequence, bytes } of stream.follow(reader.at().sequence + 1, stopped)) {
      // Whoever decided on the takeover did not know of this record.
      if (stopped.aborted) return null;
      const accepted = accept(sequence, bytes);
      if (!accepted.ok) return { type: 'problem', message: accepted.message };
      if (foreignSchema !== null)
        return {
          type: 'problem',
          message: `the owner's database has schema ${foreignSchema} by now`,
        };
      if (failure !== null) return { type: 'problem', message: failure };
    }
    return null;
  }

  /** The stream was away until now: the owner is heard again only when it has noticed that, too. */
  function noteOutage() {
    heardAt = now() + NOTICED_MS;
  }

  /**
   * Silence counts only while the stream can be reached, since the owner cannot write into one that is away either, and
   * while nothing in it waits to be read. A database that has more than the stream was that of the owner itself.
   */
  async function lookForOwner(): Promise<Ending | null> {
    const longest = takeoverAfterMs ?? Number.POSITIVE_INFINITY;
    if (now() - heardAt < Math.min(ASK_AFTER_MS, longest)) return null;
    const askedAt = now();
    try {
      const bounds = await stream.bounds();
      if (now() - askedAt > SLOW_MS) noteOutage();
      if (bounds === null) return null;
      if (await isBegunAnew(bounds.last))
        return { type: 'problem', message: 'the stream was begun anew' };
      const isAtEnd = bounds.last <= reader.at().sequence;
      if (!isAtEnd && now() - heardAt >= STUCK_MS) breakOff();
      return isAtEnd && now() - heardAt >= longest ? { type: 'due' } : null;
    } catch {
      noteOutage();
      return null;
    }
  }

  /** Whether the stream ends before what was read, with a later epoch: the one that this database followed was lost. */
  async function isBegunAnew(last: number): Promise<boolean> {
    if (last === 0 || last >= reader.at().sequence) return false;
    const bytes = await stream.read(last);
    const opened = bytes === null ? null : openRecord(keys, bytes);
    return opened !== null && opened.head.epoch > (reader.epoch() ?? place.epoch);
  }

  async function watchOwner(stopped: AbortSignal): Promise<Ending | null> {
    while (!stopped.aborted) {
      const found = await lookForOwner();
      if (found !== null) return stopped.aborted ? null : found;
      await pause(RETRY_MS, stopped);
    }
    return null;
  }

  /**
   * An owner that has written nothing since this process began is known by its newest record, which was there already:
   * this database has that one, or it was that of the owner itself and has more. Rejects while the stream is away.
   */
  async function learnEpoch(): Promise<void> {
    const bounds = await stream.bounds();
    const sequence = Math.min(reader.at().sequence, bounds?.last ?? 0);
    const bytes = await stream.read(sequence);
    const head = bytes === null ? null : openRecord(keys, bytes)?.head;
    foundEpoch = head?.sequence === sequence ? head.epoch : null;
  }
  const epoch = () => reader.epoch() ?? foundEpoch;

  const pause = (ms: number, stopped: AbortSignal) =>
    new Promise<void>((resolve) => {
      const end = clock.every(ms, () => done());
      const done = () => {
        end();
        stopped.removeEventListener('abort', done);
        resolve();
      };
      if (stopped.aborted) done();
      else stopped.addEventListener('abort', done);
    });

  async function readAgainAndAgain(stopped: AbortSignal): Promise<Ending | null> {
    while (!stopped.aborted) {
      const reading = new AbortController();
      breakOff = () => reading.abort();
      stopped.addEventListener('abort', breakOff);
      try {
        if (epoch() === null) await learnEpoch();
        const end = await read(reading.signal);
        if (end !== null) return end;
      } catch (error) {
        trouble.report(messageOf(error));
      } finally {
        stopped.removeEventListener('abort', breakOff);
      }
      noteOutage();
      await pause(RETRY_MS, stopped);
    }
    return null;
  }

  return {
    state: (): Following => ({
      at: reader.at(),
      epoch: epoch(),
      owner,
      silentMs: Math.max(0, now() - heardAt),
    }),
    /** Resolves at the end; the database then has everything that was read. */
    async run(): Promise<StandbyEnd> {
      const ending = new AbortController();
      const { signal } = ending;
      const end = () => ending.abort();
      for (const one of [stop, order]) {
        if (one.aborted) end();
        one.addEventListener('abort', end);
      }
      const endWrites = clock.every(WRITE_MS, write);
      try {
        const reading = readAgainAndAgain(signal);
        const silence = watchOwner(signal);
        const first = await Promise.race([reading, silence]);
        end();
        await Promise.all([reading, silence]);
        if (stop.aborted) return { type: 'stopped' };
        const last: Ending = first ?? { type: order.aborted ? 'due' : 'stopped' };
        if (last.type !== 'due') return last;
        if (epoch() === null) await learnEpoch().catch(() => null);
        return { type: 'due', takesFrom: epoch(), isOrdered: order.aborted };
      } finally {
        end();
        for (const one of [stop, order]) one.removeEventListener('abort', end);
        endWrites();
        write();
      }
    },
  };
}
