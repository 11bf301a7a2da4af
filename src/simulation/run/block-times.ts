/** The times at which the blocks of a simulated chain are mined. */
import type { Draw } from '../world/randomness.ts';
import type { Cancel, Scheduler } from '../world/scheduler.ts';

type Options = {
  scheduler: Scheduler;
  /** Average time from one block to the next, in milliseconds. */
  blockMs: number;
  /** How far a single block may be from its regular time, as a share of `blockMs`: 0 to 1. */
  jitter: number;
  draw: Draw;
  mine(): void;
};

/**
 * Mines from now on. Each block has a regular time and is mined shortly before or after it, so that a run of a
 * thousand blocks takes as long as planned; a block that would be mined before its parent comes right after it.
 */
export function mineInTime({ scheduler, blockMs, jitter, draw, mine }: Options): Cancel {
  if (jitter === 0) return scheduler.every(blockMs, mine);
  const begun = scheduler.now();
  let mined = 0;
  let cancel = plan();

  function plan(): Cancel {
    const off = jitter * blockMs * (2 * draw.fraction() - 1);
    const due = begun + (mined + 1) * blockMs + Math.round(off);
    return scheduler.after(Math.max(1, due - scheduler.now()), () => {
      mined += 1;
      mine();
      cancel = plan();
    });
  }
  return () => cancel();
}
