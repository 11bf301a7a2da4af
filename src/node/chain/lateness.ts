/**
 * By how many blocks deadlines are judged too late. A node that has too much to do, on a machine that is too slow, still
 * does everything right, only too late: the operator has to know before a deadline is missed.
 */
import type { Clock, Log } from '../../basics/environment.ts';

/** Some blocks come together, or while others are read: that is no lateness. */
const USUAL_BLOCKS = 2n;
const MEMORY_MS = 600_000;

export type Lateness = ReturnType<typeof createLateness>;

export function createLateness({ clock, log }: { clock: Clock; log: Log }) {
  let worst: { blocks: bigint; at: number } | null = null;

  const recent = (): bigint => {
    if (worst === null || clock.elapsed() - worst.at > MEMORY_MS) return 0n;
    return worst.blocks;
  };

  return {
    /** Notes that actors were woken only now, at the confirmed block `tip`, the first of which had waited for `block`. */
    note(block: bigint, tip: bigint): void {
      const blocks = tip - block;
      if (blocks <= USUAL_BLOCKS) return;
      const isWorse = blocks > recent();
      if (!isWorse) return;
      worst = { blocks, at: clock.elapsed() };
      log.warn(
        { blocks: Number(blocks) },
        'a deadline was judged too late: this machine is too busy',
      );
    },
    /** The most blocks within the last ten minutes by which a deadline was judged too late; 0: by none. */
    recent,
  };
}
