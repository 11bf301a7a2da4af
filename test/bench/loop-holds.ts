/**
 * Loaded into a node's process with `--import`: writes into the file `SLUICE_BENCH_HOLDS` how long something held the
 * event loop, a line each: the time when it ended, and milliseconds by the clock and of CPU time of this thread.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const STEP_MS = 5;
/** Shorter ones are not written. */
const LEAST_MS = 20;

const file = process.env['SLUICE_BENCH_HOLDS'];

/** Nanoseconds that the main thread has run. */
const cpuNs = () => Number(readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]);

function watch(into: string): void {
  let before = { time: performance.now(), cpu: cpuNs() };
  setInterval(() => {
    const now = { time: performance.now(), cpu: cpuNs() };
    const heldMs = now.time - before.time - STEP_MS;
    if (heldMs >= LEAST_MS)
      appendFileSync(into, `${Date.now()} ${heldMs} ${(now.cpu - before.cpu) / 1e6}\n`);
    before = now;
  }, STEP_MS).unref();
}

if (isMainThread && file !== undefined) watch(file);
