/**
 * How long it takes until a turn comes, measured by how fast turns came before. Only the time counts in which no turn was
 * to be had at once.
 */

/**
 * Calls whose commits are shared end many at a time. So a sample goes on for at least so many milliseconds, and until
 * nothing ends for a while, or it has many turns.
 */
const SAMPLE_MS = 100;
const GAP_MS = 1;
const MANY_TURNS = 1_000;
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

  /** As far as the sample is long enough to say anything; before the first one is, what there is of it has to do. */
  function intervalNow(): number {
    if (turns === 0 || (busyMs < SAMPLE_MS && interval > 0)) return interval;
    return interval + ((busyMs / turns - interval) * turns) / (turns + WEIGHT);
  }

  function nextSample(): void {
    interval = intervalNow();
    busyMs = 0;
    turns = 0;
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
      const ms = now - since;
      if (busyMs >= SAMPLE_MS && (ms >= GAP_MS || turns >= MANY_TURNS)) nextSample();
      busyMs += Math.min(ms, longestMs);
      turns++;
      since = now;
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
