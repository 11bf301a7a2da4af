/**
 * How much one commit may hold. While it is written the node hears nobody: on a fast disk large batches share the
 * cost of a commit among more payments, on a slow one they would hold up the event loop.
 */

const LEAST_TURNS = 64;
const MOST_TURNS = 256;
const ROWS_PER_TURN = 4;
/** Milliseconds of a commit below which the next may be larger, and above which it has to be smaller. */
const SHORT_MS = 5;
const LONG_MS = 15;

export function createBatchSize() {
  let most = LEAST_TURNS;
  return {
    isFull: (turns: number, rows: number): boolean => turns >= most || rows >= most * ROWS_PER_TURN,
    /** A commit took so many milliseconds. A small one says nothing of what a full one would take, unless it is slow. */
    note(turns: number, ms: number): void {
      if (ms > LONG_MS) most = Math.max(LEAST_TURNS, most / 2);
      else if (ms < SHORT_MS && turns >= most) most = Math.min(MOST_TURNS, most * 2);
    },
  };
}
