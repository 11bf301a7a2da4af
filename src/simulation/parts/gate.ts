/**
 * Keeps the parts of one run together in time. Nothing that one says reaches another sooner than after a window: so all may go
 * on for one window without hearing of each other, and then meet. The windows follow from when each has
 * something to do next; so they are the same in each run, whoever is faster.
 */
import type { Scheduler } from '../world/scheduler.ts';
import { earliest, type Letter } from './abroad.ts';
import type { createMeeting } from './meeting.ts';

/** `nextMs`: when the part has something to do; infinite: never. `dueMs`: when its letter, or what waits for all, is due. */
export type Word = {
  nextMs: number;
  dueMs: number;
  letter: Letter | null;
  /** What is asked of all. */
  isTrue: boolean;
  /** The part has ended. */
  hasLeft: boolean;
};

type Options = {
  meeting: Pick<ReturnType<typeof createMeeting<Word>>, 'exchange'>;
  scheduler: Pick<Scheduler, 'next'>;
  windowMs: number;
  take(): Letter;
  /** What all parts have said, this one included, each with its number. */
  deliver(letters: readonly { from: number; letter: Letter }[]): void;
  own: number;
};

export function createGate({ meeting, scheduler, windowMs, take, deliver, own }: Options) {
  let endMs = Number.NEGATIVE_INFINITY;
  let isOver = false;

  function meet(word: Omit<Word, 'nextMs' | 'dueMs'>): boolean {
    const { letter } = word;
    const nextMs = scheduler.next() ?? Number.POSITIVE_INFINITY;
    const mine: Word = {
      ...word,
      nextMs,
      dueMs: letter === null ? Number.POSITIVE_INFINITY : earliest(letter),
    };
    const others = meeting.exchange(mine, letter === null ? [] : [letter.payloads.buffer]);
    const words = [...others, { from: own, given: mine }].toSorted((a, b) => a.from - b.from);
    if (words.some(({ given }) => given.hasLeft)) isOver = true;
    const startMs = Math.min(...words.flatMap(({ given }) => [given.nextMs, given.dueMs]));
    endMs = isOver ? Number.POSITIVE_INFINITY : Math.max(endMs, startMs + windowMs);
    deliver(
      words.flatMap(({ from, given }) =>
        given.letter === null ? [] : [{ from, letter: given.letter }],
      ),
    );
    return words.every(({ given }) => given.isTrue);
  }

  return {
    /** Whether time may move on to this moment; if not, the parts have met, and what there is to do may have changed. */
    mayReach(ms: number): boolean {
      if (ms < endMs) return true;
      meet({ letter: take(), isTrue: true, hasLeft: false });
      return false;
    },
    /** Whether it is true for all parts. All have to ask, at the same time of the run. */
    isTrueForAll: (isTrue: boolean): boolean => meet({ letter: take(), isTrue, hasLeft: false }),
    /** Another part has ended: so this one ends, too. */
    isOver: () => isOver,
    /** To be called when this part ends: the others may have ended, too, or wait for it. */
    leave() {
      if (!isOver) meet({ letter: null, isTrue: true, hasLeft: true });
    },
  };
}
