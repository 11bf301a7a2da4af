/**
 * Those who wait, in a line for each caller. In a line the first who came goes first; the lines take turns, so that
 * nobody waits longer because another caller has many calls.
 */

/**
 * Whose calls count together: one object for each bearer token, what the token grants. Without tokens all programs that
 * reach the API are one caller: they are on this machine, and how many connections a program opens is its own choice.
 */
export type Caller = object & {
  /** Ends what the caller still reads, when its token is valid no more. */
  revoked?: AbortSignal;
};

/** `kind`: what is asked for. */
type Waiting = { caller: Caller; kind: string };
type Line<T> = { waiting: Set<T>; kinds: Map<string, number> };

export function createLines<T extends Waiting>() {
  const lines = new Map<Caller, Line<T>>();
  let size = 0;

  function remove(one: T): void {
    const { caller, kind } = one;
    const line = lines.get(caller);
    if (line?.waiting.delete(one) !== true) return;
    size--;
    count(line, kind, -1);
    if (line.waiting.size === 0) lines.delete(caller);
  }

  return {
    size: () => size,
    /** At the end of its caller's line. */
    add(one: T): void {
      const { caller, kind } = one;
      const line = lines.get(caller) ?? { waiting: new Set(), kinds: new Map() };
      lines.set(caller, line);
      line.waiting.add(one);
      count(line, kind, 1);
      size++;
    },
    remove,
    /** Takes out who is next; undefined when nobody waits. */
    take(): T | undefined {
      const [next] = lines;
      if (next === undefined) return undefined;
      const [caller, line] = next;
      const [one] = line.waiting;
      // The caller's next turn comes after those of all others.
      lines.delete(caller);
      lines.set(caller, line);
      if (one !== undefined) remove(one);
      return one;
    },
    all: (): T[] => [...lines.values()].flatMap(({ waiting }) => [...waiting]),
    /** How many of each kind have their turns before a further one of the caller; parts of them, of others' calls. */
    before(caller: Caller): Map<string, number> {
      const turns = (lines.get(caller)?.waiting.size ?? 0) + 1;
      const before = new Map<string, number>();
      for (const [other, { waiting, kinds }] of lines) {
        const part = other === caller ? 1 : Math.min(1, turns / waiting.size);
        for (const [kind, many] of kinds) before.set(kind, (before.get(kind) ?? 0) + many * part);
      }
      return before;
    },
  };
}

function count({ kinds }: Pick<Line<unknown>, 'kinds'>, kind: string, more: 1 | -1): void {
  const many = (kinds.get(kind) ?? 0) + more;
  if (many > 0) kinds.set(kind, many);
  else kinds.delete(kind);
}
