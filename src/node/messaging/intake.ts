/**
 * Hands on what arrived, a few milliseconds at a time: one read of the broker's socket can hold a hundred messages, and
 * callers, blocks and the commit of what was handled have to come in between.
 */
import { createRound } from '../runtime/round.ts';

/**
 * More than these do not wait, and are handed on at once: while that goes on the socket is not read, so the broker holds
 * back what comes next.
 */
const MOST_WAITING = 512;

type Options<Item> = {
  /** Milliseconds of a clock that nobody sets. */
  now(): number;
  handOn(item: Item): void;
};

export function createIntake<Item>({ now, handOn }: Options<Item>) {
  const waiting: Item[] = [];
  const round = createRound({ now });
  let isBusy = false;
  let isForNext = false;

  function work(): void {
    if (isBusy) return;
    isBusy = true;
    try {
      while (waiting.length > MOST_WAITING || !round.isOver()) {
        const item = waiting.shift();
        if (item === undefined) return;
        handOn(item);
      }
    } finally {
      isBusy = false;
      if (waiting.length > 0) workInNextRound();
    }
  }

  function workInNextRound(): void {
    if (isForNext) return;
    isForNext = true;
    round.next(() => {
      isForNext = false;
      work();
    });
  }

  return {
    /** Hands these on after all that were taken before: at once, as far as the slice of this round reaches. */
    take(items: readonly Item[]): void {
      for (const item of items) waiting.push(item);
      work();
    },
  };
}
