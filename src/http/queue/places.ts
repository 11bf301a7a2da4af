/** Places of which there are few, in a queue or for streams: all for a caller that is alone, a part for each of several. */
import type { Caller } from './lines.ts';

export type Places = ReturnType<typeof createPlaces>;

/**
 * `most`: the places that callers share. One that took more while it was alone keeps them, and the others get their part
 * all the same: with n callers no more than 1 + 1/2 + … + 1/n times as many are taken.
 */
export function createPlaces<C = Caller>(most: number) {
  const taken = new Map<C, number>();
  let all = 0;

  return {
    taken: () => all,
    /** Whether the caller gets a place, which it must give back. */
    take(caller: C): boolean {
      const own = taken.get(caller) ?? 0;
      const callers = taken.size + (own === 0 ? 1 : 0);
      if (own >= Math.max(1, Math.floor(most / callers))) return false;
      taken.set(caller, own + 1);
      all++;
      return true;
    },
    giveBack(caller: C): void {
      const own = taken.get(caller) ?? 0;
      if (own > 1) taken.set(caller, own - 1);
      else taken.delete(caller);
      all--;
    },
  };
}
