/**
 * When each payment to this node that is under way had arrived: its lock was there and its secret known, so that it can be
 * claimed whatever its payer does. Kept while the payment lives; its row in the history has it afterwards.
 */
import type { StoredState } from '../actors/kinds.ts';

export type Arrivals = ReturnType<typeof createArrivals>;

const hasArrived = (state: StoredState | null): boolean =>
  state?.kind === 'target' && state.context.secret !== null;

export function createArrivals(now: () => number) {
  const times = new Map<string, number>();

  return {
    /** Called in the turn that changed an actor or spawned it, with its state before; null: it is new. */
    look(id: string, before: StoredState | null, after: StoredState): void {
      if (hasArrived(after) && !hasArrived(before)) times.set(id, now());
    },
    /** Milliseconds since 1970; 0: before this process began, which is early enough for everybody who asks. */
    of: (id: string): number => times.get(id) ?? 0,
    /** Called in the turn in which an actor ended. */
    forget: (id: string): void => void times.delete(id),
  };
}
