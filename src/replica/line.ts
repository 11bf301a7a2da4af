/**
 * Records on their way to the stream, one after the other; after a failure the stream is asked which of them it has, and
 * the rest is sent again. Only one travels at a time: of two, the second would be taken behind a record of another node
 * that has taken the place of the first.
 */
import type { Clock } from '../protocol/environment.ts';
import { createWaiters } from '../store/waiters.ts';
import type { Point } from './place.ts';
import type { RecordStream, Track } from './stream.ts';

export type Item = { bytes: Uint8Array; point: Point; track: Track };
type Options = {
  stream: RecordStream;
  /** The newest record of the stream. */
  start: Point;
  clock: Clock;
  /**
   * Called once, when somebody else has written behind the record `after`, where one of ours belongs: nothing may be
   * written any more.
   */
  onTaken(after: number): void;
  /** Called when the stream goes away, and with null when it is back. */
  onTrouble(message: string | null): void;
};

/** Milliseconds between two questions for a stream that is away. */
const RETRY_MS = 250;

export function createLine({ stream, start, clock, onTaken, onTrouble }: Options) {
  const items: Item[] = [];
  let bytes = 0;
  const waiters = createWaiters();
  let acknowledged = start;
  let state: 'live' | 'away' | 'ended' = 'live';
  /** Since when the stream is away, in the clock's milliseconds, and what it said. */
  let trouble: { since: number; message: string } | null = null;
  /** Answers to what was sent before a failure no longer count. */
  let generation = 0;
  let isSending = false;

  function accept(item: Item) {
    items.shift();
    bytes -= item.bytes.length;
    acknowledged = item.point;
    waiters.tell(acknowledged.sequence);
  }

  function sendNext() {
    const [next] = items;
    if (state !== 'live' || isSending || next === undefined) return;
    isSending = true;
    void send(next, generation);
  }

  function close() {
    state = 'ended';
    generation += 1;
    waiters.drop();
  }

  async function send(item: Item, sent: number): Promise<void> {
    const result = await stream.append(item.bytes, item.point.sequence, item.track);
    if (sent !== generation) return;
    isSending = false;
    if (result.ok) {
      accept(item);
      return sendNext();
    }
    generation += 1;
    await recover(result.problem === 'away' ? result.message : 'it refused a record');
  }

  /** Asks until it is known what the stream has. */
  async function recover(message: string): Promise<void> {
    state = 'away';
    trouble = { since: clock.now(), message };
    onTrouble(message);
    while (state === 'away') {
      try {
        const isTaken = await compare();
        if (state !== 'away') return;
        if (!isTaken) return goOn();
        close();
        return onTaken(acknowledged.sequence);
      } catch (error) {
        trouble.message = error instanceof Error ? error.message : String(error);
      }
      await pause();
    }
  }

  /** Accepts what the stream has of ours. Whether somebody else has written. Rejects when that cannot be known. */
  async function compare(): Promise<boolean> {
    const bounds = await stream.bounds();
    if (bounds === null) throw new Error('the broker has no such stream any more');
    const { last } = bounds;
    const { sequence } = acknowledged;
    // One of its servers may not have heard of the others' records yet; if it lost them, this node waits for ever.
    if (last < sequence)
      throw new Error(`the stream ends at record ${last}, and it had acknowledged ${sequence}`);
    for (let item = items[0]; item !== undefined; item = items[0]) {
      if (item.point.sequence > last) return false;
      const found = await stream.read(item.point.sequence);
      if (found === null) throw new Error(`the stream does not show record ${item.point.sequence}`);
      if (Buffer.compare(found, item.bytes) !== 0) return true;
      accept(item);
    }
    return last > acknowledged.sequence;
  }

  function goOn() {
    state = 'live';
    trouble = null;
    onTrouble(null);
    isSending = false;
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
      bytes += item.bytes.length;
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
    /** The bytes of these. */
    bytesOnTheWay: () => bytes,
    /** Whether somebody waits for an acknowledgement. */
    isWaitedFor: () => !waiters.isEmpty(),
    trouble: () => trouble,
    isEnded: () => state === 'ended',
    /** Nobody who waits hears any more. */
    close,
  };
}
