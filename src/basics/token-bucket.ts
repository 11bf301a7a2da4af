/**
 * Limits the work that is done for strangers: `most` at once, and then `perSecond` in each second. Whoever limits many of them
 * keeps one rate, and a level for each: a level is two numbers.
 */
export type Level = { left: number; counted: number };

type Options = {
  most: number;
  perSecond: number;
  /** Milliseconds. */
  now(): number;
};

export function createRate({ most, perSecond, now }: Options) {
  function fill(level: Level): void {
    const time = now();
    // A clock that was put back fills nothing.
    const more = (Math.max(0, time - level.counted) * perSecond) / 1000;
    level.left = Math.min(most, level.left + more);
    level.counted = time;
  }

  return {
    /** A level of which nothing is taken yet. */
    full: (): Level => ({ left: most, counted: now() }),
    isEmpty(level: Level): boolean {
      fill(level);
      return level.left < 1;
    },
    /** Takes so many, by default one. False when fewer are left: then none is taken. */
    take(level: Level, count = 1): boolean {
      fill(level);
      if (level.left < count) return false;
      level.left -= count;
      return true;
    },
    /** One that was taken for something that took no work for a stranger. */
    giveBack(level: Level): void {
      level.left = Math.min(most, level.left + 1);
    },
  };
}

/** A rate with one level. */
export function createTokenBucket(options: Options) {
  const rate = createRate(options);
  const level = rate.full();
  return {
    isEmpty: () => rate.isEmpty(level),
    take: (count?: number) => rate.take(level, count),
    giveBack: () => rate.giveBack(level),
  };
}
