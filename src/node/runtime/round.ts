/**
 * The time that one round of the event loop gives to work of one kind. What comes in faster than it is handled waits for
 * the next rounds, so that sockets, blocks and commits of what was handled come in between.
 */

/** Milliseconds of work in one round. */
const SLICE_MS = 8;

/** `now`: milliseconds since any moment. */
export function createRound({ now }: { now(): number }) {
  /** When the slice of this round ends; null: nothing was done in this round. */
  let end: number | null = null;
  let waiting: (() => void)[] = [];

  function begin(): number {
    setImmediate(() => {
      end = null;
      const ready = waiting;
      waiting = [];
      for (const goOn of ready) goOn();
    });
    return now() + SLICE_MS;
  }

  return {
    /** Whether work has to wait for the next round. The slice begins with the first question of a round. */
    isOver(): boolean {
      end ??= begin();
      return now() >= end;
    },
    /** Calls `goOn` in the next round, in the order in which this was called. */
    next(goOn: () => void): void {
      end ??= begin();
      waiting.push(goOn);
    },
  };
}
