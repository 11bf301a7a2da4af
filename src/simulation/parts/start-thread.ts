/** Starts a thread that runs simulations. */
import { totalmem } from 'node:os';
import { Worker } from 'node:worker_threads';

/**
 * Most of what a world makes it keeps: with little room for what is new, that is copied again and again. And a large
 * network needs more than a thread gets by itself.
 */
const MEMORY = {
  maxYoungGenerationSizeMb: 192,
  maxOldGenerationSizeMb: Math.max(4_096, Math.floor((totalmem() / 2 ** 20) * 0.75)),
};

/** `workerData`: what the thread has from its beginning on. */
export function startThread(file: URL, workerData: unknown = null): Worker {
  // The thread needs nothing of the environment, and the flags of the main program may not suit it.
  const own = { name: 'simulation', env: {}, execArgv: [] };
  return new Worker(file, { ...own, workerData, resourceLimits: MEMORY });
}
