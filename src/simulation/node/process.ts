/** One process of a simulated machine: it hears nothing when it is dead, and later what arrives while it is busy. */
import type { Clock } from '../../basics/environment.ts';
import { getOrMake } from '../../basics/get-or-make.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { Processor } from './processor.ts';

export type Process = {
  /** Counts the machine's processes. */
  run: number;
  isAlive(): boolean;
  /** The answer of `ask`, as soon as the process comes to it; a dead process never gets one. */
  heard<T>(ask: () => Promise<T>): Promise<T>;
  clock: Clock;
  /** The process passes a point at which it may die. */
  pass(point: string): void;
  /** Aborted when the process is to end in order, before its node has begun. */
  stop: AbortSignal;
  /** Ends the process at once: another one has its key. */
  fence(why: string): void;
};

type Options = Pick<Process, 'run' | 'isAlive' | 'pass' | 'stop' | 'fence'> & {
  scheduler: Pick<Scheduler, 'every' | 'now'>;
  processor: Processor;
  /** How far the machine's clock is ahead, in milliseconds. */
  aheadMs(): number;
  /** The shortest period of its timers, in milliseconds. */
  tickMs: number;
  /** Called with what ends each of its timers. */
  onTimer(cancel: () => void): void;
};

const never = () => new Promise<never>(() => {});

export function createProcess(options: Options): Process {
  const { run, isAlive, pass, stop, fence, scheduler, processor } = options;

  /** Timers that were set at one moment with one period: they become due together, in the order in which they were set. */
  const timers = new Map<string, { works: Set<() => void>; cancel(): void }>();

  /** Calls `work` periodically, when the process comes to it; a call that still waits is not asked for again. */
  function every(ms: number, work: () => void): () => void {
    const key = `${ms} ${scheduler.now()}`;
    const timer = getOrMake(timers, key, () => begin(ms));
    // Each timer counts for itself, also when two do the same work.
    const own = () => work();
    timer.works.add(own);
    return () => {
      if (!timer.works.delete(own) || timer.works.size > 0) return;
      timer.cancel();
      if (timers.get(key) === timer) timers.delete(key);
    };
  }

  function begin(ms: number) {
    const works = new Set<() => void>();
    let isWaiting = false;
    const cancel = scheduler.every(ms, () => {
      // As on a machine that sleeps, whose timers do not move on.
      if (!isAlive() || isWaiting || processor.isPaused()) return;
      isWaiting = true;
      processor.awake(() => {
        isWaiting = false;
        for (const work of works) if (isAlive()) work();
      });
    });
    options.onTimer(cancel);
    return { works, cancel };
  }

  return {
    run,
    isAlive,
    pass,
    stop,
    fence,
    async heard(ask) {
      if (!isAlive()) return never();
      if (processor.isStill()) await new Promise<void>(processor.leave);
      try {
        return await ask();
      } finally {
        if (processor.waits()) await new Promise<void>(processor.soon);
        if (!isAlive()) await never();
      }
    },
    clock: {
      now: () => Math.floor(processor.time()) + options.aheadMs(),
      elapsed: () => processor.time(),
      every: (ms, work) => every(Math.max(ms, options.tickMs), work),
    },
  };
}
