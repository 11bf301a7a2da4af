/**
 * Watches the free space on the disk of the database. Below a limit this node promises nothing more: every pending
 * payment has to be written until its end, and a node that cannot write cannot protect it.
 */

import type { Clock, Log } from '../../../basics/environment.ts';
import type { LockRule } from './lock-gate.ts';

const LOOK_MS = 5_000;

/** In bytes. `free` answers null when it cannot know, for example for a database in memory. */
export type DiskSpace = { leastBytes: number; free(): Promise<number | null> };

type Options = { disk: DiskSpace | null; clock: Clock; log: Log };

export type DiskWatch = ReturnType<typeof createDiskWatch>;

export function createDiskWatch({ disk, clock, log }: Options) {
  let left: number | null = null;
  let isLow = false;
  let onChange = () => {};

  async function look(): Promise<void> {
    if (disk === null) return;
    left = await disk.free();
    const wasLow = isLow;
    isLow = left !== null && left < disk.leastBytes;
    if (isLow === wasLow) return;
    const fields = { left, least: disk.leastBytes };
    if (isLow) log.warn(fields, 'the disk is nearly full: no payment is begun, taken or passed on');
    else log.info(fields, 'the disk has room again');
    onChange();
  }

  const rule: LockRule = () => (isLow ? 'disk_full' : null);

  return {
    rule,
    /** Looks now, and every few seconds from here on, until the returned function is called. */
    start(onFailure: (error: unknown) => void): () => void {
      const tick = () => void look().catch(onFailure);
      const stop = clock.every(LOOK_MS, tick);
      tick();
      return stop;
    },
    /** Calls the listener when the free space falls below the limit, and when there is enough again. */
    listen(listener: () => void): void {
      onChange = listener;
    },
    /** Free and required space in bytes; null while there is enough. */
    lack(): { left: number; least: number } | null {
      return isLow && left !== null && disk !== null ? { left, least: disk.leastBytes } : null;
    },
  };
}
