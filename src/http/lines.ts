/**
 * Those who wait, in a line for each caller. In a line the first who came goes first; the lines take turns, so that
 * nobody waits longer because another caller has many calls.
 */

/**
 * Whose calls count together: one object for each bearer token, what the token grants. Without tokens all programs that
 * reach the API are one caller: they are on this machine, and how many connections a program opens is its own choice.
 */
export type Caller = object;

export function createLines<T>() {
  const lines = new Map<Caller, Set<T>>();
  let size = 0;

  function remove(caller: Caller, one: T): void {
    const line = lines.get(caller);
    if (line?.delete(one) !== true) return;
    size--;
    if (line.size === 0) lines.delete(caller);
  }

  return {
    size: () => size,
    /** At the end of the caller's line. */
    add(caller: Caller, one: T): void {
      const line = lines.get(caller);
      if (line === undefined) lines.set(caller, new Set([one]));
      else line.add(one);
      size++;
    },
    remove,
    /** Takes out who is next; undefined when nobody waits. */
    take(): T | undefined {
      for (const [caller, line] of lines) {
        for (const one of line) {
          // The caller's next turn comes after those of all others.
          lines.delete(caller);
          lines.set(caller, line);
          remove(caller, one);
          return one;
        }
      }
      return undefined;
    },
    all: (): T[] => [...lines.values()].flatMap((line) => [...line]),
    /** After how many turns, its own counted, a further one of the caller would be next, at most. */
    placeOf(caller: Caller): number {
      const own = (lines.get(caller)?.size ?? 0) + 1;
      let place = own;
      for (const [other, line] of lines) if (other !== caller) place += Math.min(line.size, own);
      return place;
    },
  };
}
