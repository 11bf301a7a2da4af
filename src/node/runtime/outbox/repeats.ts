/**
 * What has to be looked at now, because its time has come. Thousands of messages may wait for partners that are away, and
 * it is asked ten times a second: only those whose time has come are looked at.
 */
import TinyQueue from 'tinyqueue';

/** `nextTime`: milliseconds of a clock that never goes back. */
type Waiting = { nextTime: number };
type Place<T> = { time: number; entry: T };

/** Places of earlier times that may be kept beside those that count. */
const MOST_OUTDATED = 64;

export function createRepeats<T extends Waiting>() {
  /** The time that counts of each; the queue may have further places, of times that it was given before. */
  const times = new Map<T, number>();
  let later = queueOf<T>([]);
  const ripe = new Set<T>();

  /** What gets another time again and again leaves a place each time. */
  function tidy() {
    if (later.length <= 2 * times.size + MOST_OUTDATED) return;
    later = queueOf([...times].map(([entry, time]) => ({ time, entry })));
  }

  return {
    /** Called when one is new, or has got another time. */
    note(entry: T): void {
      ripe.delete(entry);
      times.set(entry, entry.nextTime);
      later.push({ time: entry.nextTime, entry });
      tidy();
    },
    forget(entry: T): void {
      ripe.delete(entry);
      times.delete(entry);
    },
    /** At most so many of those whose time has come, in no order. Each is answered again until it gets another time. */
    due(elapsed: number, most: number): T[] {
      for (let next = later.peek(); next && next.time <= elapsed; next = later.peek()) {
        later.pop();
        if (times.get(next.entry) === next.time) ripe.add(next.entry);
      }
      const due: T[] = [];
      for (const entry of ripe) {
        if (due.length === most) break;
        due.push(entry);
      }
      return due;
    },
    /** How many places are kept, those that count and those that do not. */
    size: () => later.length + ripe.size,
  };
}

function queueOf<T>(places: Place<T>[]): TinyQueue<Place<T>> {
  return new TinyQueue(places, (a, b) => a.time - b.time);
}
