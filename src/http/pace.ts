/**
 * How long it takes until a turn comes, measured by how fast turns came before. Only the time counts in which no turn was
 * to be had at once.
 */

/** Turns that end within so many milliseconds are one sample: calls whose commits are shared end many at a time. */
const SAMPLE_MS = 100;
/**
 * A sample of so many turns counts as much as everything before. One that took minutes, such as the opening of a
 * channel, is a sample by itself, and says little of those that follow.
 */
const WEIGHT = 7;

/** `longestMs`: for no more than this an interval counts; whoever would wait longer is refused in any case. */
export function createPace(longestMs: number) {
  /** Since when no turn is to be had; the end of the last one begins it anew. Null: one can be had. */
  let since: number | null = null;
  let busyMs = 0;
  let turns = 0;
  /** Milliseconds between two turns; 0: not known yet. */
  let interval = 0;

  function finishSample(): void {
    interval += ((busyMs / turns - interval) * turns) / (turns + WEIGHT);
    busyMs = 0;
    turns = 0;
  }

  /** Before the first sample is complete, what there is of it has to do. */
  function intervalNow(): number {
    return interval === 0 && turns > 0 ? busyMs / turns : interval;
  }

  return {
    /** No turn is to be had from now on. */
    busy(now: number): void {
      since ??= now;
    },
    /** A turn is to be had at once. */
    free(): void {
      since = null;
    },
    /** A turn has ended. */
    ended(now: number): void {
      if (since === null) return;
      busyMs += Math.min(now - since, longestMs);
      turns++;
      since = now;
      if (busyMs >= SAMPLE_MS) finishSample();
    },
    /**
     * Milliseconds until the turn comes that is the `place`th from now. What is under way for long already is expected
     * to take as long again: nothing else is known of it.
     */
    msUntil(place: number, now: number): number {
      const next = since === null ? 0 : Math.max(intervalNow(), now - since);
      return next + (place - 1) * intervalNow();
    },
  };
}
