/**
 * A stream of records in virtual time. Each record is taken at one place or refused, whatever the way to the stream
 * does: it can be cut, lose answers, and hold records back until nobody waits for them any more.
 */
import type { Appended, RecordStream, Track } from '../../replica/stream.ts';
import type { Draw } from '../world/randomness.ts';
import type { Scheduler } from '../world/scheduler.ts';

/** What is wrong on the way between one machine and the stream. */
type WayFaults = {
  isCut: boolean;
  /** The share of answers that never arrive. */
  lostAnswers: number;
  /** How much later than usual a request arrives, in milliseconds. */
  lateMs: number;
};
export type Way = { stream: RecordStream; faults: WayFaults };
type Kept = { bytes: Uint8Array; track: Track };

type Options = {
  scheduler: Pick<Scheduler, 'now' | 'after'>;
  draw: Draw;
  /** Called with each record that the stream has taken, before anybody hears of it. */
  onTaken(sequence: number, bytes: Uint8Array): void;
};

/** Milliseconds after which nobody waits for an answer any more. */
const ANSWER_MS = 2_000;
const LATENCY_MS = { least: 1, most: 8 };
const LARGEST_RECORD = 1_047_552;
const AWAY = 'the stream cannot be reached';

export function createSimulatedStream({ scheduler, draw, onTaken }: Options) {
  let records: Kept[] = [];
  const listeners = new Set<() => void>();
  const latency = () => draw.integer(LATENCY_MS.least, LATENCY_MS.most);
  const after = (ms: number) => new Promise<void>((resolve) => void scheduler.after(ms, resolve));

  function tell() {
    for (const listener of [...listeners]) listener();
  }

  function take(bytes: Uint8Array, sequence: number, track: Track): Appended {
    if (sequence !== records.length + 1) return { ok: false, problem: 'taken' };
    records.push({ bytes, track });
    onTaken(sequence, bytes);
    tell();
    return { ok: true };
  }

  /** A way to the stream that keeps the order of what goes over it. */
  function connect(): Way {
    const faults: WayFaults = { isCut: false, lostAnswers: 0, lateMs: 0 };
    let lastArrival = 0;

    /** What the stream answers; null: no answer came in time, whatever the stream has done. */
    function ask<T>(work: () => T): Promise<T | null> {
      if (faults.isCut) return after(1).then(() => null);
      const arrival = Math.max(lastArrival, scheduler.now() + latency() + faults.lateMs);
      lastArrival = arrival;
      return new Promise((resolve) => {
        scheduler.after(ANSWER_MS, () => resolve(null));
        scheduler.after(arrival - scheduler.now(), () => {
          if (faults.isCut) return;
          const answer = work();
          if (draw.happens(faults.lostAnswers)) return;
          scheduler.after(latency(), () => !faults.isCut && resolve(answer));
        });
      });
    }

    async function asked<T>(work: () => T): Promise<T> {
      const answer = await ask(() => ({ value: work() }));
      if (answer === null) throw new Error(AWAY);
      return answer.value;
    }

    /** Resolves when there may be something new, or when `stop` is aborted. */
    const news = (stop: AbortSignal) =>
      new Promise<void>((resolve) => {
        const done = () => {
          listeners.delete(done);
          stop.removeEventListener('abort', done);
          resolve();
        };
        listeners.add(done);
        stop.addEventListener('abort', done);
      });

    async function* follow(sequence: number, stop: AbortSignal) {
      for (let next = sequence; !stop.aborted; ) {
        if (faults.isCut) throw new Error(AWAY);
        const found = records[next - 1];
        if (found === undefined) {
          await news(stop);
          await after(latency() + faults.lateMs);
        } else {
          yield { sequence: next, bytes: found.bytes };
          next += 1;
        }
      }
    }

    const stream: RecordStream = {
      async append(bytes, sequence, track) {
        const answer = await ask(() => take(bytes, sequence, track));
        return answer ?? { ok: false, problem: 'away', message: AWAY };
      },
      bounds: () => asked(() => ({ first: 1, last: records.length, bytes: 0, madeAt: '0' })),
      read: (sequence) => asked(() => records[sequence - 1]?.bytes ?? null),
      newest: (track) =>
        asked(() => records.findLast((record) => record.track === track)?.bytes ?? null),
      follow,
      purge: () => asked(() => undefined),
      largestRecord: () => LARGEST_RECORD,
      close: async () => {},
    };
    return { stream, faults };
  }

  return {
    connect,
    last: () => records.length,
    /** Wakes whoever follows: something about the way has changed. */
    tell,
    /** Forgets the newest records, as when somebody puts back an older copy of the stream. */
    cut(count: number) {
      records = records.slice(0, Math.max(0, records.length - count));
    },
    /** Puts another record into the place of this one, as who keeps the stream can. */
    forge(sequence: number, bytes: Uint8Array) {
      const found = records[sequence - 1];
      if (found !== undefined) records[sequence - 1] = { ...found, bytes };
      tell();
    },
  };
}
