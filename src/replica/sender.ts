/**
 * Records on their way to the stream, one after the other; after a failure the stream is asked which of them it has, and
 * the rest is sent again, also what the stream had acknowledged and lost. Only one travels at a time: of two, the second
 * would be taken behind a record of another node that has taken the place of the first.
 */

import type { Clock } from '../basics/environment.ts';
import { messageOf } from '../basics/message-of.ts';
import { createWaiters } from '../basics/waiters.ts';
import type { StreamPoint } from './position.ts';
import { tagOf } from './record.ts';
import { createRetained, type Item } from './retained.ts';
import type { RecordStream } from './stream.ts';

type Options = {
  stream: RecordStream;
  /** The newest record of the stream. */
  start: StreamPoint;
  clock: Clock;
  /**
   * Called once, when somebody else has written behind the record `after`, where one of ours belongs: nothing may be
   * written any more.
   */
  onTaken(after: number): void;
  /**
   * Called when the stream goes away, and with null when it has acknowledged a record again: what it shows does not say that
   * it takes anything.
   */
  onTrouble(message: string | null): void;
};

/** Milliseconds between two questions for a stream that is away. */
const RETRY_MS = 250;
/**
 * Milliseconds without an acknowledgement, longer than between two pulses, after which the stream is looked at before
 * anything is sent: this process may have slept, and another node may have written as much as the stream lost.
 */
const LOOK_AFTER_MS = 3_000;

/** How long a node that takes over has to read what is there, and to write its record. */
const HOLD_MS = 2_000;

/** The cause of what is said of a stream that will not come back by itself. */
const LOST = Symbol('the stream is lost');
const RENEW = 'unless its servers find it again, "sluice replica renew" begins it anew';
const lost = (message: string) => new Error(`${message}: ${RENEW}`, { cause: LOST });

export function createRecordSender({ stream, start, clock, onTaken, onTrouble }: Options) {
  let items: Item[] = [];
  let bytes = 0;
  const retained = createRetained();
  const waiters = createWaiters();
  let acknowledged = start;
  /** The newest record that the stream has ever acknowledged. */
  let newest = start;
  let state: 'live' | 'away' | 'ended' = 'live';
  /** Since when the stream is away, in the clock's milliseconds, and what it said. */
  let trouble: { since: number; message: string } | null = null;
  /** Whether it can be reached, and lacks what only this node's database has by now. */
  let isLost = false;
  /** Answers to what was sent before a failure no longer count. */
  let generation = 0;
  let isSending = false;
  let heardAt = clock.now();
  /** The newest record that the stream had after any failure. */
  let recoveredAt = -1;
  /** Until when nothing is sent, by `clock.elapsed`. */
  let heldUntil = Number.NEGATIVE_INFINITY;

  function accept(item: Item) {
    items.shift();
    bytes -= item.bytes.length;
    acknowledged = item.point;
    heardAt = clock.now();
    if (acknowledged.sequence > newest.sequence) newest = acknowledged;
    retained.add(item);
    waiters.tell(acknowledged.sequence);
  }

  function sendNext() {
    const [next] = items;
    if (state !== 'live' || isSending || next === undefined) return;
    if (isHeld()) return void recover(null);
    // By the clock that goes on while the machine sleeps; after it was set back the stream is asked, too.
    if (Math.abs(clock.now() - heardAt) > LOOK_AFTER_MS) return void recover(null);
    isSending = true;
    void send(next, generation);
  }

  const isHeld = () => clock.elapsed() < heldUntil;

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
      if (trouble !== null) onTrouble(null);
      trouble = null;
      return sendNext();
    }
    generation += 1;
    await recover(result.problem === 'away' ? result.message : 'it refused a record');
  }

  function noteTrouble(message: string) {
    if (trouble === null) {
      trouble = { since: clock.now(), message };
      onTrouble(message);
    } else trouble.message = message;
  }

  /** Asks until it is known what the stream has. `message`: what it said, if it said anything. */
  async function recover(message: string | null): Promise<void> {
    state = 'away';
    if (message !== null) noteTrouble(message);
    while (state === 'away') {
      try {
        const isTaken = await compare();
        if (state !== 'away') return;
        if (isTaken) {
          close();
          return onTaken(acknowledged.sequence);
        }
        if (isHeld()) {
          await pause();
          continue;
        }
        const isFurther = acknowledged.sequence > recoveredAt;
        recoveredAt = Math.max(recoveredAt, acknowledged.sequence);
        if (isFurther) return goOn();
        // What was sent after the last look was refused, and is not there: its servers need a moment to agree.
        await pause();
        return state === 'away' ? goOn() : undefined;
      } catch (error) {
        isLost = error instanceof Error && error.cause === LOST;
        noteTrouble(messageOf(error));
      }
      await pause();
    }
  }

  /** Accepts what the stream has of ours. Whether somebody else has written. Rejects when that cannot be known. */
  async function compare(): Promise<boolean> {
    const bounds = await stream.bounds();
    if (bounds === null) throw lost('the broker has no such stream any more');
    const { last } = bounds;
    if (!(await isOwn(Math.min(last, acknowledged.sequence)))) return true;
    if (last < acknowledged.sequence) takeBack(last);
    for (let item = items[0]; item !== undefined; item = items[0]) {
      if (item.point.sequence > last) return false;
      const found = await stream.read(item.point.sequence);
      if (found === null) throw new Error(`the stream does not show record ${item.point.sequence}`);
      if (Buffer.compare(found, item.bytes) !== 0) return true;
      accept(item);
    }
    return last > acknowledged.sequence;
  }

  /**
   * Whether the record with this number, the newest that the stream shows of those that it had acknowledged, is this
   * node's: if the stream lost some, another node may have written there since, and as many. Rejects when that is
   * not known here: then this node waits for ever.
   */
  async function isOwn(sequence: number): Promise<boolean> {
    const known = [acknowledged, start].find((point) => point.sequence === sequence);
    const own = known ?? retained.at(sequence)?.point;
    if (own === undefined) throw lost(endsAt(sequence));
    if (sequence === 0) return true;
    const found = await stream.read(sequence);
    if (found === null) throw new Error(`the stream does not show record ${sequence}`);
    return tagOf(found) === own.tag;
  }

  /**
   * The records that the stream lost behind `last` wait to be sent again. If they are there, and only one of its servers
   * had not heard of them, they are refused, and found.
   */
  function takeBack(last: number): void {
    const found = retained.after(last);
    if (found[0]?.point.sequence !== last + 1) throw lost(endsAt(last));
    const own = retained.at(last)?.point ?? start;
    retained.cut(last);
    items = [...found, ...items];
    for (const item of found) bytes += item.bytes.length;
    acknowledged = own;
  }

  const endsAt = (last: number) =>
    `the stream ends at record ${last}, and it had acknowledged ${acknowledged.sequence}`;

  function goOn() {
    state = 'live';
    heardAt = clock.now();
    isLost = false;
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
    /** The newest record that the stream has ever acknowledged, even if it lost that since. */
    acknowledged: (): StreamPoint => newest,
    /** Those that are not acknowledged, oldest first. */
    onTheWay: (): readonly Item[] => items,
    /** The bytes of these. */
    bytesOnTheWay: () => bytes,
    trouble: () => trouble,
    isLost: () => trouble !== null && isLost,
    /**
     * Sends nothing for a moment, and looks whether another node takes the stream: one that was told to, and that would
     * come too late again and again behind a busy one.
     */
    hold(): void {
      heldUntil = clock.elapsed() + HOLD_MS;
      sendNext();
    },
    isEnded: () => state === 'ended',
    /** Nobody who waits hears any more. */
    close,
  };
}
