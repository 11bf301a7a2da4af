/** When the blocks of a simulated chain come. */
import type { Draw } from '../world/randomness.ts';
import type { Cancel, Scheduler } from '../world/scheduler.ts';

type Options = {
  scheduler: Scheduler;
  /** Of one block on average, in milliseconds. */
  blockMs: number;
  /** How far a single block may lie from its time, as a share of `blockMs`: 0 to 1. */
  jitter: number;
  draw: Draw;
  mine(): void;
};

/**
 * Mines from now on. Each block has its time on an even grid and lies around it, so that a run of a thousand blocks
 * takes as long as it says; a block that should come before the one that it stands on comes right after that.
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
