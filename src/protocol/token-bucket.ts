/** So much at once, so much each second after it: what work for strangers may cost. */
export type TokenBucket = { take(count?: number): boolean };

export function createTokenBucket(options: {
  most: number;
  perSecond: number;
  /** Milliseconds. */
  now(): number;
}): TokenBucket {
  const { most, perSecond, now } = options;
  let left = most;
  let counted = now();
  return {
    /** Whether there were so many left, by default one, which are gone now. */
    take(count = 1) {
      const time = now();
      // A clock that was put back fills nothing.
      left = Math.min(most, left + (Math.max(0, time - counted) * perSecond) / 1000);
      counted = time;
      if (left < count) return false;
      left -= count;
      return true;
    },
  };
}
