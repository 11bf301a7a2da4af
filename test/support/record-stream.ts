/** A stream of records in memory, which can be away, and can lose answers. */
import type { Appended, RecordStream, Track } from '../../src/replica/stream.ts';

export function memoryStream() {
  const records: Uint8Array[] = [];
  const tracks: Track[] = [];
  let first = 1;
  let isAway = false;
  let losesAnswers = false;
  let isFull = false;
  /** What a server shows as the number of the newest record; null: what it is. */
  let shownEnd: number | null = null;
  let isEndSeen = false;
  let looks = 0;
  /** What happens before a record is taken, and before one is read. */
  let beforeAppend: ((track: Track) => Promise<void>) | null = null;
  let beforeRead: (() => Promise<void>) | null = null;
  /** Calls that wait until `answer`; null: every call is answered at once. */
  let held: (() => void)[] | null = null;
  const away = async <T>(work: () => T): Promise<T> => {
    if (isAway) throw new Error('it is away');
    return work();
  };

  function append(record: Uint8Array, sequence: number, track: Track): Appended {
    if (isAway) return { ok: false, problem: 'away', message: 'it is away' };
    if (isFull) return { ok: false, problem: 'away', message: 'it is full' };
    if (sequence !== records.length + 1) return { ok: false, problem: 'taken' };
    records.push(record);
    tracks.push(track);
    if (losesAnswers) return { ok: false, problem: 'away', message: 'no answer came' };
    return { ok: true };
  }

  const stream: RecordStream = {
    async append(record, sequence, track) {
      if (beforeAppend !== null) await beforeAppend(track);
      const result = append(record, sequence, track);
      const waiting = held;
      if (waiting !== null) await new Promise<void>((resolve) => waiting.push(resolve));
      return result;
    },
    bounds: () =>
      away(() => {
        isEndSeen = shownEnd !== null;
        looks += 1;
        const bytes = records.slice(first - 1).reduce((sum, { length }) => sum + length, 0);
        const end = shownEnd ?? records.length;
        return { first: Math.min(first, records.length + 1), last: end, bytes, madeAt: '0' };
      }),
    async read(sequence) {
      if (beforeRead !== null) await beforeRead();
      return away(() => (sequence < first ? null : (records[sequence - 1] ?? null)));
    },
    newest: (track) => away(() => records[tracks.lastIndexOf(track)] ?? null),
    async *follow(from, stop) {
      for (let at = Math.max(from, first); at <= records.length && !stop.aborted; at++) {
        const bytes = await away(() => records[at - 1]);
        if (bytes !== undefined) yield { sequence: at, bytes };
      }
    },
    purge: (before) =>
      away(() => {
        first = Math.max(first, before);
      }),
    largestRecord: () => 10_000,
    close: async () => {},
  };
  return {
    stream,
    records,
    goAway: () => {
      isAway = true;
    },
    comeBack: () => {
      isAway = false;
    },
    /** From now on it shows what it has, and takes nothing more. */
    fill: (isSo: boolean) => {
      isFull = isSo;
    },
    /** From now on a record is taken, and its sender does not hear of it. */
    loseAnswers: (loses: boolean) => {
      losesAnswers = loses;
    },
    beforeAppend: (work: typeof beforeAppend) => {
      beforeAppend = work;
    },
    beforeRead: (work: typeof beforeRead) => {
      beforeRead = work;
    },
    /** From now on a server shows an older end of the stream. */
    showEnd: (sequence: number | null) => {
      shownEnd = sequence;
    },
    /** Whether somebody has asked for the end since. */
    isSeen: () => isEndSeen,
    /** Whether somebody has asked twice for the end: what it did after the first answer is done. */
    isLookedAt: () => looks > 1,
    /** From now on answers wait for `answer`. */
    hold: () => {
      held = [];
    },
    /** Whether an answer waits. */
    isAsked: () => (held?.length ?? 0) > 0,
    answer: () => {
      for (const tell of held?.splice(0) ?? []) tell();
    },
  };
}
