/** Those who wait for the end of an actor. */
import type { Clock } from '../../../basics/environment.ts';

export type Ends = ReturnType<typeof createEnds>;
/** `over` resolves when the actor has ended, when it was waited for too long, and when the wait is stopped. */
export type Wait = { over: Promise<void>; stop(): void };

export function createEnds(clock: Pick<Clock, 'every'>) {
  const waiting = new Map<string, Set<() => void>>();

  return {
    /** Waits for so many milliseconds at most. */
    wait(id: string, ms: number): Wait {
      const same = waiting.get(id) ?? new Set();
      waiting.set(id, same);
      let tell = () => {};
      const over = new Promise<void>((resolve) => {
        tell = resolve;
      });
      const endTimer = clock.every(ms, stop);
      function stop(): void {
        endTimer();
        same.delete(stop);
        if (same.size === 0 && waiting.get(id) === same) waiting.delete(id);
        tell();
      }
      same.add(stop);
      return { over, stop };
    },
    /** Called in the turn in which an actor ended. */
    tell(id: string): void {
      if (waiting.size === 0) return;
      for (const stop of [...(waiting.get(id) ?? [])]) stop();
    },
  };
}
