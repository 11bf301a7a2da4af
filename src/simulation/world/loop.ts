/** Lets virtual time pass. */
import { Death } from './death.ts';
import type { Scheduler } from './scheduler.ts';

// The real one, also while the thread has virtual globals.
const realImmediate = setImmediate;
/** More tasks of one moment are not run before the promises that they have settled are heard. */
const MOST_AT_ONCE = 64;

/**
 * Runs what is planned until time would pass `untilMs`, or `isOver` says so. All that awaits a promise goes on
 * before time moves: so no answer comes later than it was given, and the order is the same in every run.
 * `before` each moment time stands still for as long as it takes.
 */
export async function letTimePass(
  scheduler: Scheduler,
  untilMs: number,
  isOver: () => boolean = () => false,
  before: () => Promise<void> | null = () => null,
): Promise<void> {
  for (;;) {
    await settled();
    const at = scheduler.next();
    if (at === null || at > untilMs || isOver()) return;
    const waiting = before();
    if (waiting !== null) await waiting;
    for (let left = MOST_AT_ONCE; left > 0 && scheduler.next() === at; left--) step(scheduler);
  }
}

/** A process may die in the middle of what it does. */
function step(scheduler: Scheduler) {
  try {
    scheduler.step();
  } catch (error) {
    if (!(error instanceof Death)) throw error;
  }
}

/** When nothing that is settled waits to be heard. */
function settled(): Promise<void> {
  return new Promise((resolve) => void realImmediate(resolve));
}
