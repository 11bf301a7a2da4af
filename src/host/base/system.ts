/** The machine's own clock and random numbers. */
import { randomFillSync } from 'node:crypto';
import type { Chance, Clock } from '../../basics/environment.ts';

const POOL_BYTES = 4_096;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  every(ms, work) {
    const timer = setInterval(work, ms);
    return () => clearInterval(timer);
  },
};

/** Random bytes of the system, fetched many at a time, because a call costs a tenth of a signature. */
export function createSystemChance(): Chance {
  const pool = Buffer.alloc(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    bytes(count) {
      if (count > POOL_BYTES) return randomFillSync(new Uint8Array(count));
      if (used + count > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      const drawn = new Uint8Array(pool.subarray(used, used + count));
      pool.fill(0, used, used + count);
      used += count;
      return drawn;
    },
  };
}
