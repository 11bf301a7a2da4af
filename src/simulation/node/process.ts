/** One process of a simulated machine: it hears nothing when it is dead, and later what arrives while it is paused. */
import type { Clock } from '../../protocol/environment.ts';
import type { Scheduler } from '../world/scheduler.ts';
import type { createStillness } from './stillness.ts';

export type Process = {
  /** Counts the machine's processes. */
  run: number;
  isAlive(): boolean;
  /** The answer of `ask`, as soon as the process is not paused; a dead process never gets one. */
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
  scheduler: Pick<Scheduler, 'now' | 'every'>;
  still: Pick<ReturnType<typeof createStillness>, 'isStill' | 'awake'>;
  /** How far the machine's clock is ahead, in milliseconds. */
  aheadMs(): number;
  /** The shortest period of its timers, in milliseconds. */
  tickMs: number;
  /** Called with what ends each of its timers. */
  onTimer(cancel: () => void): void;
};

const never = () => new Promise<never>(() => {});

export function createProcess(options: Options): Process {
  const { run, isAlive, pass, stop, fence, scheduler, still } = options;
  return {
    run,
    isAlive,
    pass,
    stop,
    fence,
    async heard(ask) {
      if (!isAlive()) return never();
      const answer = await ask();
      if (still.isStill()) await new Promise<void>((resolve) => still.awake(resolve));
      return isAlive() ? answer : never();
    },
    clock: {
      now: () => scheduler.now() + options.aheadMs(),
      elapsed: () => scheduler.now(),
      every(ms, work) {
        const tick = () => isAlive() && !still.isStill() && work();
        const cancel = scheduler.every(Math.max(ms, options.tickMs), tick);
        options.onTimer(cancel);
        return cancel;
      },
    },
  };
}
