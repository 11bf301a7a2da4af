/** Whether a seller opens one more tab: each takes memory, and a least payment keeps it dear. */
import type { Tab } from './tab.ts';

const MOST_TABS = 100_000;
/**
 * A closed tab whose last call is so long ago takes no place: nobody takes its rest, as when it is less than any way to its buyer
 * carries, and enough of them would end the sale on tabs. It is not given up: its rest is the buyer's, and is tried on.
 */
const LONG_CLOSED_MS = 30 * 86_400_000;
/** With those: each of them had a least payment of which the seller has kept nearly all. */
const MOST_KEPT = 1_000_000;
/** It is asked with each price: so seldom all tabs are looked at. */
const COUNTED_MS = 5_000;

/** `now`: milliseconds since 1970. */
export function createRoom(live: ReadonlyMap<unknown, { tab: Tab }>, now: () => number) {
  let counted = { longClosed: 0, until: 0 };

  function longClosed(): number {
    const time = now();
    if (time < counted.until) return counted.longClosed;
    const isLong = ({ tab }: { tab: Tab }) =>
      tab.ending !== null && tab.usedAt + LONG_CLOSED_MS <= time;
    counted = { longClosed: [...live.values()].filter(isLong).length, until: time + COUNTED_MS };
    return counted.longClosed;
  }

  return (): boolean =>
    live.size < MOST_TABS || (live.size < MOST_KEPT && live.size - longClosed() < MOST_TABS);
}
