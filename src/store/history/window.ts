/** The numbers of what only grows at one end and is cut off at the other. */

/** Most numbers that one commit cuts off, besides as many as it adds. */
const PRUNE_STEP = 100;

/** `first`: of the oldest row that is stored; `limit`: how many of the newest numbers count, at least 1. */
type Window = { first: number; newest: number; limit: number; prune(keepFrom: number): void };

/** The newest number is never cut off, so that none comes twice, after a restart either. */
export function openWindow({ first, newest, limit, prune }: Window) {
  let stored = first;
  let next = newest + 1;
  const oldest = () => Math.max(1, next - limit);

  return {
    /** The next number, or of the next so many the last one. */
    take(count = 1): number {
      next += count;
      return next - 1;
    },
    /** To be called after `added` numbers: cuts off those that count no more, a few at a time when the limit was lowered. */
    cut(added: number): void {
      const keepFrom = Math.min(oldest(), stored + added + PRUNE_STEP);
      if (keepFrom <= stored) return;
      prune(keepFrom);
      stored = keepFrom;
    },
    /** The oldest and the newest number that count; without any, newest + 1 and newest. */
    bounds: () => ({ oldest: oldest(), newest: next - 1 }),
    /** Returns a function that goes back to the present numbers, for a transaction that was rolled back. */
    mark(): () => void {
      const kept = { stored, next };
      return () => {
        ({ stored, next } = kept);
      };
    },
  };
}
