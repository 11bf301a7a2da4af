/** One process of a simulated machine: it hears nothing when it is dead, and later what arrives while it is busy. */
import type { Clock } from '../../basics/environment.ts';
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
  scheduler: Pick<Scheduler, 'every'>;
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

  /** Calls `work` periodically, when the process comes to it; a call that still waits is not asked for again. */
  function every(ms: number, work: () => void): () => void {
    let isWaiting = false;
    let isOver = false;
    const cancel = scheduler.every(ms, () => {
      // As on a machine that sleeps, whose timers do not move on.
      if (!isAlive() || isWaiting || processor.isPaused()) return;
      isWaiting = true;
      processor.awake(() => {
        isWaiting = false;
        if (isAlive() && !isOver) work();
      });
    });
    return () => {
      isOver = true;
      cancel();
    };
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
      every(ms, work) {
        const cancel = every(Math.max(ms, options.tickMs), work);
        options.onTimer(cancel);
        return cancel;
      },
    },
  };
}
