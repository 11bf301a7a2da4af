/**
 * Requests whose signatures were not looked at yet, each in the line of its slot (a channel and who asks for it), or in
 * one line for all channels that are not known. Lines take turns: whoever forges requests for one channel, or for
 * channels that are not there, keeps nobody else waiting and takes nobody's place.
 */

type Limits = {
  /** Of one slot: an honest node has its newest request there, and perhaps the one before. */
  perSlot: number;
  /** For channels that are not known. */
  unknown: number;
  together: number;
};

const LIMITS: Limits = { perSlot: 16, unknown: 2_000, together: 20_000 };
const UNKNOWN = '';

export function createUnjudged<T>(given: Partial<Limits> = {}) {
  const limits = { ...LIMITS, ...given };
  /** In the order of their turns; none is empty. */
  const lines = new Map<string, T[]>();
  /** Lines with more than one: what is in them gives way to a slot that has nothing. */
  const crowded = new Set<string>();
  let size = 0;

  function put(slot: string, line: T[]): void {
    if (line.length > 1) crowded.add(slot);
    else crowded.delete(slot);
    if (line.length === 0) lines.delete(slot);
    else lines.set(slot, line);
  }

  /** Takes the last one away from a crowded line; false: there is none. */
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
    /** `slot`: null for a channel that is not known. False: there was no room for it. */
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
    /** Up to `most` of them, one of each line in turn, the oldest of a line first. */
    take(most: number): T[] {
      const taken: T[] = [];
      // A line that had its turn comes again behind the others.
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
