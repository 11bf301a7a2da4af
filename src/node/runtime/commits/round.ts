/**
 * The time that one round of the event loop gives to work of one kind. What comes in faster than it is handled waits for
 * the next rounds, so that sockets, blocks and commits of what was handled come in between.
 */

/** What a payload that waits for its round takes besides its bytes. */
export const PAYLOAD_BYTES = 1_024;
/** Milliseconds of work in one round, and in one in which the chain needs this node. */
const SLICE_MS = 5;
const PRESSED_SLICE_MS = 1;

type Options = {
  /** Milliseconds since any moment. */
  now(): number;
  /** Whether something with a deadline is to be done first: then this work goes on only just. Absent: it never is. */
  isPressed?(): boolean;
};

export function createRound({ now, isPressed = () => false }: Options) {
  /** When the slice of this round ends; null: nothing was done in this round. */
  let end: number | null = null;
  let waiting: (() => void)[] = [];
  /** How many wait in `inSlice`: who comes later does not begin a slice before them. */
  let callers = 0;

  function begin(): number {
    setImmediate(() => {
      end = null;
      const ready = waiting;
      waiting = [];
      goOnWith(ready);
    });
    return now() + (isPressed() ? PRESSED_SLICE_MS : SLICE_MS);
  }

  /** Whether work has to wait for the next round. The slice begins with the first question of a round. */
  function isOver(): boolean {
    end ??= begin();
    return now() >= end;
  }

  /**
   * Calls `goOn` in the next round, in the order in which this was called. The promises that follow from it settle before
   * the next one is called, so each can ask whether the slice is over.
   */
  function next(goOn: () => void): void {
    end ??= begin();
    waiting.push(goOn);
  }

  return {
    isOver,
    next,
    /** Resolves in the slice of this round or a later one, in the order in which it was asked. */
    async inSlice(): Promise<void> {
      if (callers === 0 && !isOver()) return;
      callers += 1;
      do await new Promise<void>(next);
      while (isOver());
      callers -= 1;
    },
  };
}

/** Calls `work` when the promises that follow from this moment are settled. */
export function whenSettled(work: () => void): void {
  // A tick that a microtask asks for comes when all microtasks are done.
  queueMicrotask(() => process.nextTick(work));
}

function goOnWith([first, ...rest]: readonly (() => void)[]): void {
  first?.();
  if (rest.length > 0) whenSettled(() => goOnWith(rest));
}
