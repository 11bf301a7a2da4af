/** What a thread that runs a simulation may take of the machine. */
import { totalmem } from 'node:os';

/**
 * Most of what a world makes it keeps: with little room for what is new, that is copied again and again. And a large
 * network needs more than a thread gets by itself.
 */
export const THREAD_MEMORY = {
  maxYoungGenerationSizeMb: 192,
  maxOldGenerationSizeMb: Math.max(4_096, Math.floor((totalmem() / 2 ** 20) * 0.75)),
};
