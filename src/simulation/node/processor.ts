/**
 * The core that runs a simulated process. While it stands still, because its machine sleeps, or is busy with earlier work,
 * the process gets later what arrives, and what it sends leaves when the work before it is done.
 */
import type { Owner, Scheduler } from '../world/scheduler.ts';

export type Processor = ReturnType<typeof createProcessor>;

/** `isOwner`: whether timers that are set by the process's code wait for this core. */
export function createProcessor(scheduler: Scheduler, isOwner: boolean) {
  const { now, after } = scheduler;
  let backlog: (() => void)[] = [];
  let leaving: (() => void)[] = [];
  let isPaused = false;
  /** When all work is done that was begun, in milliseconds and their parts. */
  let freeAt = 0;
  let isWaking = false;
  /** Counts the processes: what one has left undone is nothing to the next. */
  let process = 0;
  const owner: Owner = { later };

  /** Whole milliseconds until the core is free: less than one is made up for by the next work. */
  const lag = () => Math.max(0, Math.floor(freeAt - now()));
  const isStill = () => isPaused || lag() > 0;

  function run(work: () => void) {
    if (isOwner) scheduler.own(owner);
    work();
  }

  /** Works through what has waited; the first of it may take time, or end the process. */
  function goOn() {
    while (!isStill()) {
      const work = backlog.shift();
      if (work === undefined) return;
      run(work);
    }
  }

  function wakeWhenFree() {
    if (isWaking || isPaused || backlog.length === 0) return;
    isWaking = true;
    after(lag(), () => {
      isWaking = false;
      try {
        goOn();
      } finally {
        wakeWhenFree();
      }
    });
  }

  function later(work: () => void) {
    backlog.push(work);
    wakeWhenFree();
  }

  return {
    isPaused: () => isPaused,
    isStill,
    /** Whether an answer that arrives now has to wait for its turn. */
    waits: () => isOwner || isStill(),
    /** Does the work at once, or when the process comes to it, in the order of these calls. */
    awake(work: () => void) {
      if (isStill() || backlog.length > 0) later(work);
      else run(work);
    },
    /** As `awake`, called from code that is nobody's turn: with costs, the work gets a step of its own. */
    soon(work: () => void) {
      if (isOwner || isStill() || backlog.length > 0) later(work);
      else work();
    },
    /** What the process sends leaves when the work before it is done, and the process is not paused. */
    leave(work: () => void) {
      const mine = process;
      const send = () => {
        if (mine !== process) return;
        if (isPaused) leaving.push(work);
        else work();
      };
      if (lag() === 0) send();
      else after(lag(), send);
    },
    /** The work that is being done takes so many milliseconds. */
    take(ms: number) {
      freeAt = Math.max(freeAt, now()) + ms;
    },
    /** The time at which the process is with its work. */
    time: () => Math.max(freeAt, now()),
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      for (const work of leaving.splice(0)) work();
      wakeWhenFree();
    },
    /** The process has ended: everything that waits for it is dropped. */
    end() {
      process += 1;
      backlog = [];
      leaving = [];
      isPaused = false;
      freeAt = 0;
    },
  };
}
