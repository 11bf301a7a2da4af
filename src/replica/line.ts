/**
 * Records on their way to the stream, one after the other; after a failure the stream is asked which of them it has, and
 * the rest is sent again. Only one travels at a time: of two, the second would be taken behind a record of somebody else
 * that has taken the place of the first.
 */
import type { Clock } from '../protocol/environment.ts';
import { createWaiters } from '../store/waiters.ts';
import type { Point } from './place.ts';
import type { RecordStream, Track } from './stream.ts';

export type Item = { bytes: Uint8Array; point: Point; track: Track };
/**
 * Why nothing may be written any more. `taken`: somebody else has written at the place of a record of ours; `lost`: the
 * stream has forgotten a record that it had acknowledged.
 */
export type LineEnd = 'taken' | 'lost';

type Options = {
  stream: Pick<RecordStream, 'append' | 'bounds' | 'read'>;
  /** The newest record of the stream. */
  start: Point;
  clock: Clock;
  /** Called once. */
  onEnd(end: LineEnd): void;
};

/** Milliseconds between two questions for a stream that is away. */
const RETRY_MS = 250;

export function createLine({ stream, start, clock, onEnd }: Options) {
  const items: Item[] = [];
  const waiters = createWaiters();
  let acknowledged = start;
  let state: 'live' | 'away' | 'ended' = 'live';
  /** Since when the stream is away, in the clock's milliseconds, and what it said. */
  let trouble: { since: number; message: string } | null = null;
  /** The record that travels. */
  let sending: Item | null = null;
  /** Answers to what was sent before a failure no longer count. */
  let generation = 0;

  function accept(item: Item) {
    // The answer for a later record, which said the same of this one, may have come before.
    if (item.point.sequence <= acknowledged.sequence) return;
    while (items[0] !== undefined && items[0].point.sequence <= item.point.sequence) items.shift();
    acknowledged = item.point;
    waiters.tell(acknowledged.sequence);
    sendNext();
  }

  function sendNext() {
    const next = items[0] ?? null;
    if (state !== 'live' || next === null || next === sending) return;
    sending = next;
    void send(next, generation);
  }

  function end(why: LineEnd) {
    if (state === 'ended') return;
    state = 'ended';
    generation += 1;
    waiters.drop();
    onEnd(why);
  }

  async function send(item: Item, sent: number): Promise<void> {
    const result = await stream.append(item.bytes, item.point.sequence, item.track);
    if (sent !== generation) return;
    if (result.ok) return accept(item);
    generation += 1;
    await recover(result.problem === 'away' ? result.message : 'it refused a record');
  }

  /** Asks until it is known what the stream has. */
  async function recover(message: string): Promise<void> {
    state = 'away';
    trouble = { since: clock.now(), message };
    while (state === 'away') {
      try {
        const why = await compare();
        if (why !== null) return end(why);
        return goOn();
      } catch (error) {
        trouble.message = error instanceof Error ? error.message : String(error);
      }
      await pause();
    }
  }

  /** Accepts what the stream has of ours. Why nothing may be written any more, or null. */
  async function compare(): Promise<LineEnd | null> {
    const { last } = await stream.bounds();
    if (last < acknowledged.sequence) return 'lost';
    for (let item = items[0]; item !== undefined; item = items[0]) {
      if (item.point.sequence > last) return null;
      const found = await stream.read(item.point.sequence);
      if (found === null || Buffer.compare(found, item.bytes) !== 0) return 'taken';
      accept(item);
    }
    return last > acknowledged.sequence ? 'taken' : null;
  }

  function goOn() {
    if (state !== 'away') return;
    state = 'live';
    trouble = null;
    sending = null;
    sendNext();
  }

  const pause = () =>
    new Promise<void>((resolve) => {
      const stop = clock.every(RETRY_MS, () => {
        stop();
        resolve();
      });
    });

  return {
    /** Sends the record when everything before it was sent. */
    add(item: Item): void {
      if (state === 'ended') return;
      items.push(item);
      sendNext();
    },
    /** Calls `done` when the stream has all records up to `sequence`: never, when it is somebody else's by now. */
    whenAcknowledged(sequence: number, done: () => void): void {
      if (state === 'ended') return;
      if (waiters.isEmpty() && acknowledged.sequence >= sequence) done();
      else waiters.add({ commits: sequence, done, fail: () => {} });
    },
    acknowledged: (): Point => acknowledged,
    /** Those that are not acknowledged, oldest first. */
    onTheWay: (): readonly Item[] => items,
    trouble: () => trouble,
    isEnded: () => state === 'ended',
    /** Nobody who waits hears any more. */
    close(): void {
      state = 'ended';
      generation += 1;
      waiters.drop();
    },
  };
}
