/** A process that stands still, because its machine sleeps or its disk takes long: it hears later what comes meanwhile. */
import type { Scheduler } from '../world/scheduler.ts';

export function createStillness({ now, after }: Pick<Scheduler, 'now' | 'after'>) {
  let backlog: (() => void)[] = [];
  let isPaused = false;
  let busyUntil = 0;
  const isStill = () => isPaused || now() < busyUntil;

  /** It may stand still again over the first of what it has missed. */
  function goOn() {
    while (!isStill()) {
      const work = backlog.shift();
      if (work === undefined) return;
      work();
    }
  }

  return {
    isStill,
    /** At once, or when the process goes on, in the order of these calls. */
    awake(work: () => void) {
      if (isStill() || backlog.length > 0) backlog.push(work);
      else work();
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      goOn();
    },
    /** It waits for so many milliseconds, after what it waits for already. */
    wait(ms: number) {
      busyUntil = Math.max(busyUntil, now()) + ms;
      after(busyUntil - now(), goOn);
    },
    /** The process is gone, and so is what it had missed. */
    end() {
      backlog = [];
      isPaused = false;
      busyUntil = 0;
    },
  };
}
