import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition that will come true, asking often; throws when it does not within the time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'condition',
  timeoutMs = 60_000,
): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms in vain for: ${what}`);
    await delay(10);
  }
}
