/**
 * How much one commit may hold. The event loop stands still while a commit is written: on a fast disk large batches
 * share the cost of a commit among more payments, on a slow disk they would block the event loop for too long.
 */

const LEAST_TURNS = 64;
const MOST_TURNS = 256;
const ROWS_PER_TURN = 4;
/** Milliseconds of a commit below which the next batch may be larger, and above which it has to be smaller. */
const SHORT_MS = 5;
const LONG_MS = 15;

export function createBatchSize() {
  let most = LEAST_TURNS;
  return {
    isFull: (turns: number, rows: number): boolean => turns >= most || rows >= most * ROWS_PER_TURN,
    /** Notes how long a commit took. A small batch tells nothing about the time for a full one, unless it was slow. */
    note(turns: number, ms: number): void {
      if (ms > LONG_MS) most = Math.max(LEAST_TURNS, most / 2);
      else if (ms < SHORT_MS && turns >= most) most = Math.min(MOST_TURNS, most * 2);
    },
  };
}
