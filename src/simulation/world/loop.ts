/** Lets virtual time pass. */
import { Death } from './death.ts';
import type { Scheduler } from './scheduler.ts';

// The real function, also while the thread has virtual globals.
const realImmediate = setImmediate;
/** The most tasks of one moment that run before code waits for the promises that they have settled. */
const MOST_AT_ONCE = 64;

/**
 * Runs planned tasks until time would pass `untilMs`, or `isOver` returns true. Everything that awaits a settled
 * promise goes on before time moves: so no answer arrives later than it was given, and the order is the same in
 * every run. Before each moment, `before` may pause time until its promise resolves. `mayReach` false: time may not move so
 * far yet, and what is planned may have changed.
 */
export async function letTimePass(
  scheduler: Scheduler,
  untilMs: number,
  isOver: () => boolean = () => false,
  before: () => Promise<void> | null = () => null,
  mayReach: (ms: number) => boolean = () => true,
): Promise<void> {
  for (;;) {
    await settled();
    const at = scheduler.next();
    // To end here, too, it has to be known that nothing else comes before.
    if (!isOver() && !mayReach(Math.min(at ?? untilMs + 1, untilMs + 1))) continue;
    if (at === null || at > untilMs || isOver()) return;
    const waiting = before();
    if (waiting !== null) await waiting;
    const most = scheduler.isTimed() ? 1 : MOST_AT_ONCE;
    for (let left = most; left > 0 && scheduler.next() === at; left--) step(scheduler);
  }
}

/** Runs one task; a process may die in the middle of it. */
function step(scheduler: Scheduler) {
  try {
    scheduler.step();
  } catch (error) {
    if (!(error instanceof Death)) throw error;
  }
}

/** Resolves when all code that awaits settled promises has run. */
function settled(): Promise<void> {
  return new Promise((resolve) => void realImmediate(resolve));
}
