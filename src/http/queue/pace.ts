/**
 * How long it takes until a turn comes, as far as is known from how long calls of each kind took before. A call that
 * opens a channel takes minutes, a query less than a millisecond: one says nothing of the other.
 */

/** The mean is of so many calls; older ones count less and less. */
const MEMORY = 8;

/** `begun`: when the first call began. */
type Known = { ms: number; calls: number; begun: number };

/** `longestMs`: no call counts for more, so that a single one does not rule the mean. */
export function createPace(longestMs: number) {
  const kinds = new Map<string, Known>();
  /** Calls that have a turn, and what they are expected to take in all. */
  let underWay = 0;
  let expectedMs = 0;
  /** When a call began or ended last. */
  let last = 0;

  /**
   * As long as no call of the kind has ended, what the first has taken until now. Nothing before that: whoever waits in
   * vain then is told when the time is over.
   */
  function usual(kind: string, now: number): number {
    const known = kinds.get(kind);
    if (known === undefined) return 0;
    return known.calls === 0 ? now - known.begun : known.ms;
  }

  function note(known: Known, ms: number): void {
    known.calls = Math.min(known.calls + 1, MEMORY);
    known.ms += (ms - known.ms) / known.calls;
  }

  /**
   * Until one of those under way ends. What takes longer than it should is expected to take as long again: nothing else
   * is known of it.
   */
  function msUntilEnd(now: number): number {
    if (underWay === 0) return 0;
    const passed = now - last;
    const usually = expectedMs / underWay / underWay;
    return passed < usually ? usually - passed : passed;
  }

  return {
    /** A call begins; the answer is to be called when it ends. */
    begin(kind: string, begun: number): (now: number) => void {
      const known = kinds.get(kind) ?? { ms: 0, calls: 0, begun };
      kinds.set(kind, known);
      const expected = known.ms;
      underWay++;
      expectedMs += expected;
      last = begun;
      return (now) => {
        underWay--;
        expectedMs -= expected;
        last = now;
        note(known, Math.min(now - begun, longestMs));
      };
    },
    /** Milliseconds until the turn after those `before`: so many calls of each kind, as many at a time as now. */
    msUntilTurn(before: ReadonlyMap<string, number>, now: number): number {
      let ms = 0;
      for (const [kind, many] of before) ms += many * usual(kind, now);
      return msUntilEnd(now) + ms / Math.max(1, underWay);
    },
  };
}
