/** Limits the work that is done for strangers: `most` at once, and then `perSecond` in each second. */
export type TokenBucket = ReturnType<typeof createTokenBucket>;

export function createTokenBucket(options: {
  most: number;
  perSecond: number;
  /** Milliseconds. */
  now(): number;
}) {
  const { most, perSecond, now } = options;
  let left = most;
  let counted = now();

  function fill(): void {
    const time = now();
    // A clock that was put back fills nothing.
    left = Math.min(most, left + (Math.max(0, time - counted) * perSecond) / 1000);
    counted = time;
  }

  return {
    isEmpty(): boolean {
      fill();
      return left < 1;
    },
    /** Takes so many, by default one. False when fewer are left: then none is taken. */
    take(count = 1): boolean {
      fill();
      if (left < count) return false;
      left -= count;
      return true;
    },
    /** One that was taken for something that took no work for a stranger. */
    giveBack(): void {
      left = Math.min(most, left + 1);
    },
  };
}
