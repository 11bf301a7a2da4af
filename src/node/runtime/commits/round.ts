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
  /** Those who wait for a slice, oldest first: who comes later does not begin one before them. */
  const waiting: (() => void)[] = [];

  function begin(): number {
    setImmediate(() => {
      end = null;
    });
    return now() + (isPressed() ? PRESSED_SLICE_MS : SLICE_MS);
  }

  function next(goOn: () => void): void {
    setImmediate(goOn);
  }

  /** Whether work has to wait for the next round. The slice begins with the first question of a round. */
  function isOver(): boolean {
    end ??= begin();
    return now() >= end;
  }

  /** Called once for each that waits, and lets in the oldest: some are called where the slice is always used up. */
  function letIn(): void {
    if (isOver()) next(letIn);
    else waiting.shift()?.();
  }

  return {
    isOver,
    /**
     * Calls `goOn` in the next round, in the order in which this was called. All that follows from it, promises too, is done
     * before the next one is called, so each can ask whether the slice is over.
     */
    next,
    /** Resolves in the slice of this round or a later one, in the order in which it was asked. */
    async inSlice(): Promise<void> {
      if (waiting.length === 0 && !isOver()) return;
      await new Promise<void>((goOn) => {
        waiting.push(goOn);
        next(letIn);
      });
    },
  };
}
