/** Reads many actors without blocking everything else. */
import type { Actors } from './actors.ts';
import type { StoredState } from './kinds.ts';

/** One of them may be a channel with hundreds of locks. */
const ACTORS_AT_ONCE = 50;

/**
 * The states of the existing actors, in order, in slices: a payment must not wait until thousands of actors are read.
 */
export async function* statesOf(
  actors: Pick<Actors, 'stateOf'>,
  ids: readonly string[],
): AsyncGenerator<{ id: string; state: StoredState }[]> {
  for (let first = 0; first < ids.length; first += ACTORS_AT_ONCE) {
    if (first > 0) await new Promise((resolve) => void setImmediate(resolve));
    yield ids.slice(first, first + ACTORS_AT_ONCE).flatMap((id) => {
      const state = actors.stateOf(id);
      return state === null ? [] : [{ id, state }];
    });
  }
}
