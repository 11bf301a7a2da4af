/** A process that is paused, because its machine sleeps or its disk is slow: it gets later what arrives meanwhile. */
import type { Scheduler } from '../world/scheduler.ts';

export function createStillness({ now, after }: Pick<Scheduler, 'now' | 'after'>) {
  let backlog: (() => void)[] = [];
  let isPaused = false;
  let busyUntil = 0;
  const isStill = () => isPaused || now() < busyUntil;

  /** Works through what has waited; the process may be paused again by the first of it. */
  function goOn() {
    while (!isStill()) {
      const work = backlog.shift();
      if (work === undefined) return;
      work();
    }
  }

  return {
    isStill,
    /** Does the work at once, or when the process goes on, in the order of these calls. */
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
    /** Makes the process wait for so many milliseconds, after anything that it waits for already. */
    wait(ms: number) {
      busyUntil = Math.max(busyUntil, now()) + ms;
      after(busyUntil - now(), goOn);
    },
    /** The process has ended: everything that waits for it is dropped. */
    end() {
      backlog = [];
      isPaused = false;
      busyUntil = 0;
    },
  };
}
