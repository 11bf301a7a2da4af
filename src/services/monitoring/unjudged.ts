/**
 * Requests whose signatures were not checked yet, each in the queue of its slot (a channel and the asking participant),
 * or in one queue for all unknown channels. Queues take turns: forged requests for one channel, or for unknown
 * channels, neither delay requests of others nor take their places.
 */

type Limits = {
  /** In the queue of one slot: an honest node has its newest request there, and perhaps the one before. */
  perSlot: number;
  /** In the queue for unknown channels. */
  unknown: number;
  together: number;
};

const LIMITS: Limits = { perSlot: 16, unknown: 2_000, together: 20_000 };
const UNKNOWN = '';

export function createUnjudged<T>(given: Partial<Limits> = {}) {
  const limits = { ...LIMITS, ...given };
  /** The queues in the order of their turns; none is empty. */
  const lines = new Map<string, T[]>();
  /** Queues with more than one request: these lose one when a slot without any needs the place. */
  const crowded = new Set<string>();
  let size = 0;

  function put(slot: string, line: T[]): void {
    if (line.length > 1) crowded.add(slot);
    else crowded.delete(slot);
    if (line.length === 0) lines.delete(slot);
    else lines.set(slot, line);
  }

  /** Drops the last request of a crowded queue; false when there is no such queue. */
  function makeRoom(): boolean {
    const [slot] = crowded;
    const line = slot === undefined ? undefined : lines.get(slot);
    if (slot === undefined || line === undefined) return false;
    line.pop();
    size -= 1;
    put(slot, line);
    return true;
  }

  return {
    size: () => size,
    /** Adds a request. `slot`: null for an unknown channel. False when there was no room. */
    add(slot: string | null, item: T): boolean {
      const key = slot ?? UNKNOWN;
      const line = lines.get(key) ?? [];
      if (line.length >= (slot === null ? limits.unknown : limits.perSlot)) return false;
      const isFull = size >= limits.together;
      if (isFull && (line.length > 0 || slot === null || !makeRoom())) return false;
      line.push(item);
      size += 1;
      put(key, line);
      return true;
    },
    /** Takes up to `most` requests, one of each queue in turn, the oldest of a queue first. */
    take(most: number): T[] {
      const taken: T[] = [];
      // A queue that had its turn moves behind the others.
      for (const [slot, line] of lines) {
        if (taken.length === most) break;
        taken.push(...line.splice(0, 1));
        size -= 1;
        lines.delete(slot);
        put(slot, line);
      }
      return taken;
    },
  };
}
