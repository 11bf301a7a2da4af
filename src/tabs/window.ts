/**
 * Which counters of a tab are used. Calls come out of order, so it is a window: what is below its begin is used, and above its
 * end nothing is taken. Only the buyer moves it, by the lowest counter that it still waits for: no counter that it has
 * handed out is shut out by a higher one that overtakes it.
 */

/** `used`: bit n says that the counter `begin + n` is used. */
export type Window = { begin: number; used: bigint };

/** Calls that can be under way at once, and the bits of a window. */
export const WINDOW = 1_024;

export const newWindow = (): Window => ({ begin: 0, used: 0n });

export type Taken =
  | { ok: true; window: Window }
  | { ok: false; reason: 'counter_used' | 'counter_too_far' };

/** The window after this counter. `from`: where it may begin, at most `counter`. */
export function take(window: Window, counter: number, from: number): Taken {
  const moved = from > window.begin ? movedTo(window, from) : window;
  const place = counter - moved.begin;
  if (place >= WINDOW) return { ok: false, reason: 'counter_too_far' };
  if (place < 0) return { ok: false, reason: 'counter_used' };
  const bit = 1n << BigInt(place);
  if ((moved.used & bit) !== 0n) return { ok: false, reason: 'counter_used' };
  return { ok: true, window: { begin: moved.begin, used: moved.used | bit } };
}

function movedTo({ begin, used }: Window, from: number): Window {
  const by = from - begin;
  return { begin: from, used: by >= WINDOW ? 0n : used >> BigInt(by) };
}
