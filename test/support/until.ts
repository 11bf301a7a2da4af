/**
 * What one look counts at most. A machine that stood still between two looks, as a virtual one may, has had no time
 * to do what is waited for; nor has one whose clock was set.
 */
const MOST_COUNTED_MS = 2_000;

/** Between two looks in milliseconds; a look that takes long itself takes a fifth of the time, and no more. */
const LEAST_PAUSE_MS = 10;
const MOST_PAUSE_MS = 500;
const pauseAfter = (lookMs: number) =>
  Math.min(Math.max(LEAST_PAUSE_MS, 4 * lookMs), MOST_PAUSE_MS);

/** Waits for a condition that will come true, asking often; throws when it does not within the time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'condition',
  timeoutMs = 60_000,
): Promise<void> {
  const begun = Date.now();
  let waitedMs = 0;
  for (let before = begun, lookAt = begun; !(await condition()); lookAt = Date.now()) {
    if (waitedMs > timeoutMs) {
      const wholeMs = Date.now() - begun;
      throw new Error(`waited ${timeoutMs} ms in vain for: ${what} (${wholeMs} ms in all)`);
    }
    // The process's own timers and dates: they may be those of a virtual world.
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(Date.now() - lookAt)));
    const now = Date.now();
    waitedMs += Math.min(Math.max(now - before, 0), MOST_COUNTED_MS);
    before = now;
  }
}
