/**
 * Virtual time. Planned tasks wait in one queue, ordered by their time and then by the order of planning; the
 * present time is that of the last task that ran: nothing waits for a clock.
 */
import TinyQueue from 'tinyqueue';

export type Scheduler = {
  /** Milliseconds since 1970 in the simulated world. */
  now(): number;
  /** Runs `task` so many milliseconds from now; 0 means after everything that is already planned for now. */
  after(ms: number, task: () => void): Cancel;
  /** Runs `task` every so many milliseconds, the first time one period from now. */
  every(ms: number, task: () => void): Cancel;
  /** Moves time to the next task and runs it; false when nothing is planned. */
  step(): boolean;
  /** When the next task is planned; null: there is none. */
  next(): number | null;
  /** Number of tasks that have run. */
  steps(): number;
  /** From now on, until the next task begins, this process's code runs. */
  own(owner: Owner): void;
  /** Whose code runs; null: nobody's whose time counts. */
  owner(): Owner | null;
  /** Whether the code of some process takes time: then what follows from one task has to be done before the next. */
  isTimed(): boolean;
};
export type Cancel = () => void;
/** A process whose code takes time: `later` does work of it when it comes to it. */
export type Owner = { later(work: () => void): void };

type Task = { at: number; order: number; run: (() => void) | null };

/** `start`: milliseconds since 1970. */
export function createScheduler(start: number): Scheduler {
  const queue = new TinyQueue<Task>([], (a, b) => a.at - b.at || a.order - b.order);
  let now = start;
  let planned = 0;
  let steps = 0;
  let owner: Owner | null = null;
  let isTimed = false;

  function after(ms: number, run: () => void): Cancel {
    const task: Task = { at: now + Math.max(0, ms), order: planned++, run };
    queue.push(task);
    return () => {
      task.run = null;
    };
  }

  function every(ms: number, run: () => void): Cancel {
    let cancel = after(ms, tick);
    let isOver = false;
    function tick() {
      run();
      if (!isOver) cancel = after(ms, tick);
    }
    return () => {
      isOver = true;
      cancel();
    };
  }

  /** The next task that was not cancelled: cancelled ones take no time. */
  function peek(): Task | null {
    for (;;) {
      const task = queue.peek();
      if (task === undefined) return null;
      if (task.run !== null) return task;
      queue.pop();
    }
  }

  return {
    now: () => now,
    after,
    every,
    step() {
      const task = peek();
      if (task === null) return false;
      queue.pop();
      now = task.at;
      steps += 1;
      owner = null;
      task.run?.();
      return true;
    },
    next: () => peek()?.at ?? null,
    steps: () => steps,
    own(next) {
      owner = next;
      isTimed = true;
    },
    owner: () => owner,
    isTimed: () => isTimed,
  };
}
