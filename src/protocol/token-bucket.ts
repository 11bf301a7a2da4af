/** So much at once, so much each second after it: what work for strangers may cost. */
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
    /** Whether there were so many left, by default one, which are gone now. */
    take(count = 1): boolean {
      fill();
      if (left < count) return false;
      left -= count;
      return true;
    },
  };
}
