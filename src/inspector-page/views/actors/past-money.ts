/** What a node owns in all its channels of one token, over time. */
import type { ActorHistory, ListedActor } from '../../../inspector/wire.ts';
import { balancePoints } from '../money/series.ts';

/** What the node owns from `time` on; the locks that it has given are included. */
export type OwnPoint = { time: number; own: bigint };
/** `isWhole`: the points begin with the channel's spawn, before which it owned nothing. */
export type OwnSeries = { isWhole: boolean; points: readonly OwnPoint[] };

export function ownSeries({ base, steps, hasMore }: ActorHistory): OwnSeries {
  return { isWhole: !hasMore, points: balancePoints(base, steps) };
}

/** The sum of all series, from the time on at which each of them is known. */
export function sumOf(series: readonly OwnSeries[]): OwnPoint[] {
  const from = Math.max(
    ...series.map(({ isWhole, points }) => (isWhole ? 0 : (points[0]?.time ?? 0))),
  );
  const changes = series
    .flatMap(({ points }, of) => points.map((point) => ({ ...point, of })))
    .sort((a, b) => a.time - b.time);
  const owned = series.map(() => 0n);
  const sums: OwnPoint[] = [];
  for (const [index, { of, time, own }] of changes.entries()) {
    owned[of] = own;
    const sum = owned.reduce((all, amount) => all + amount, 0n);
    // Earlier changes only count in the first sum: before it, the other channels' amounts are not known.
    const isCounted = time >= from && changes[index + 1]?.time !== time;
    if (isCounted && sums.at(-1)?.own !== sum) sums.push({ time, own: sum });
  }
  return sums;
}

/** What the node owns in these channels; null when the balances of one are not known. */
export function ownNow(channels: readonly ListedActor[]): bigint | null {
  let sum = 0n;
  for (const { balances } of channels) {
    if (balances === null) return null;
    sum += balances.own;
  }
  return sum;
}
