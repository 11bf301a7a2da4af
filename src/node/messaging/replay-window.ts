/**
 * Which counters of one sender's session have been seen: a bit for each of the newest ones, in a ring that never grows.
 * Older counters count as seen: the sender repeats the message under another counter.
 */
export type ReplayWindow = ReturnType<typeof createReplayWindow>;

/** By how many later payloads a payload may be overtaken. A broker keeps the order of what one node publishes. */
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
    /** Notes a fresh counter as seen. To be called only when the seal has proved who chose it. */
    note(counter: number): void {
      if (counter > highest + WIDTH) seen.fill(0);
      else for (let between = highest + 1; between < counter; between++) set(between, false);
      highest = Math.max(highest, counter);
      set(counter, true);
    },
  };
}
