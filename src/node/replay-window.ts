/**
 * Which counters of one sender's session have been seen: the newest ones one by one, in a ring of bits that
 * never grows. What is older than all of them counts as seen: it is repeated under another counter.
 */
export type ReplayWindow = ReturnType<typeof createReplayWindow>;

/** How far a payload may be overtaken. A broker keeps the order of what one node publishes. */
const WIDTH = 1_024;

export function createReplayWindow() {
  const seen = new Uint8Array(WIDTH);
  let highest = 0;

  return {
    /** Whether the counter, 1 or more, has not been seen. */
    isFresh(counter: number): boolean {
      if (counter < 1 || counter <= highest - WIDTH) return false;
      return counter > highest || seen[counter % WIDTH] === 0;
    },
    /** A fresh counter was seen. To be called only when it is known who chose it. */
    note(counter: number): void {
      if (counter > highest + WIDTH) seen.fill(0);
      else for (let between = highest + 1; between < counter; between++) seen[between % WIDTH] = 0;
      highest = Math.max(highest, counter);
      seen[counter % WIDTH] = 1;
    },
  };
}
