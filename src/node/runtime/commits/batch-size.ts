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
/** A batch waits so many rounds of the event loop for the rest of a burst. More of them do not bring more payments. */
const MOST_ROUNDS = 2;

export function createBatchSize() {
  let most = LEAST_TURNS;
  let turns = 0;
  /** How many turns there were when the last round of the loop ended, and for how many rounds a burst has lasted. */
  let seen = 0;
  let rounds = 0;
  return {
    /** Counts one more turn. */
    add(): void {
      turns += 1;
    },
    isEmpty: (): boolean => turns === 0,
    /** Whether the batch, which has so many rows, is full so many times over. */
    isFull: (rows: number, times = 1): boolean =>
      turns >= most * times || rows >= most * times * ROWS_PER_TURN,
    /** Asked once a round: whether the batch should wait for the rest of a burst. One turn in a round is none. */
    isGrowing(): boolean {
      if (turns - seen <= 1 || rounds === MOST_ROUNDS) return false;
      seen = turns;
      rounds += 1;
      return true;
    },
    /** The turns until now wait for the disk: they are no burst. */
    hasWaited(): void {
      seen = turns;
    },
    /** The batch is closed: returns how many turns it has, and counts anew. */
    close(): number {
      const closed = turns;
      turns = 0;
      seen = 0;
      rounds = 0;
      return closed;
    },
    /** Notes how long a commit took. A small batch tells nothing about the time for a full one, unless it was slow. */
    note(closed: number, ms: number): void {
      if (ms > LONG_MS) most = Math.max(LEAST_TURNS, most / 2);
      else if (ms < SHORT_MS && closed >= most) most = Math.min(MOST_TURNS, most * 2);
    },
  };
}
