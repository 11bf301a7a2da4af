/**
 * Makes one channel of those that two nodes have beside each other: a token network has one for each pair, and payments
 * do not go from one token network to another.
 */
import { type Capacity, type NamedChannel, totalOf } from '../scenario/importing/channel-list.ts';
import { pairOf } from '../scenario/importing/importing.ts';

/** `sum`: it has what they have together; `largest`: the largest stays as it is, and the others are left out. */
export const PARALLEL = ['sum', 'largest'] as const;
export type Parallel = (typeof PARALLEL)[number];

/** The terms are those of the largest in any case. The order is that in which pairs appear. */
export function withoutParallels(channels: readonly NamedChannel[], how: Parallel): NamedChannel[] {
  const pairs = new Map<string, NamedChannel>();
  for (const channel of channels) {
    const pair = pairOf(channel);
    const before = pairs.get(pair);
    pairs.set(
      pair,
      before === undefined ? channel : joined(before, turned(channel, before.a), how),
    );
  }
  return [...pairs.values()];
}

function joined(one: NamedChannel, other: NamedChannel, how: Parallel): NamedChannel {
  const largest = totalOf(other) > totalOf(one) ? other : one;
  return how === 'largest'
    ? largest
    : { ...largest, capacity: sumOf(one.capacity, other.capacity) };
}

function sumOf(one: Capacity, other: Capacity): Capacity {
  if ('total' in one || 'total' in other)
    return { total: totalOf({ capacity: one }) + totalOf({ capacity: other }) };
  return { a: one.a + other.a, b: one.b + other.b };
}

/** The channel with `first` as its first node. */
function turned(channel: NamedChannel, first: string): NamedChannel {
  if (channel.a === first) return channel;
  const { a, b, capacity, termsA, termsB } = channel;
  const swapped = 'total' in capacity ? capacity : { a: capacity.b, b: capacity.a };
  return { a: b, b: a, capacity: swapped, termsA: termsB, termsB: termsA };
}
