/**
 * Which counters of one sender's session have been seen: the newest ones one by one, in a ring of bits that
 * never grows. What is older than all of them counts as seen: it is repeated under another counter.
 */
export type ReplayWindow = ReturnType<typeof createReplayWindow>;

/** How far a payload may be overtaken. A broker keeps the order of what one node publishes. */
const WIDTH = 1_024;

export function createReplayWindow() {
  const seen = new Uint8Array(WIDTH / 8);
  let highest = 0;

  const byteOf = (counter: number) => (counter % WIDTH) >> 3;
  const bitOf = (counter: number) => 1 << (counter % 8);
  const byteAt = (counter: number) => seen[byteOf(counter)] ?? 0;
  const isSet = (counter: number) => (byteAt(counter) & bitOf(counter)) !== 0;
  function set(counter: number, isSeen: boolean): void {
    const before = byteAt(counter);
    seen[byteOf(counter)] = isSeen ? before | bitOf(counter) : before & ~bitOf(counter);
  }

  return {
    /** Whether the counter, 1 or more, has not been seen. */
    isFresh(counter: number): boolean {
      if (counter < 1 || counter <= highest - WIDTH) return false;
      return counter > highest || !isSet(counter);
    },
    /** A fresh counter was seen. To be called only when it is known who chose it. */
    note(counter: number): void {
      if (counter > highest + WIDTH) seen.fill(0);
      else for (let between = highest + 1; between < counter; between++) set(between, false);
      highest = Math.max(highest, counter);
      set(counter, true);
    },
  };
}
