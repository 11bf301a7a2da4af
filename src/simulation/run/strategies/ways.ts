/** Shortest ways over the open channels of a network, as everybody can see them. */
import { getOrMake } from '../../../basics/get-or-make.ts';
import type { OpenChannel } from './strategy.ts';

/** The nodes of a way with the fewest channels, both ends included; of equal ones the one over lower indexes. */
export function shortestWay(
  channels: readonly OpenChannel[],
  from: number,
  to: number,
  past: readonly number[] = [],
): number[] | null {
  const partners = new Map<number, number[]>();
  for (const { a, b } of channels) {
    getOrMake(partners, a, () => []).push(b);
    getOrMake(partners, b, () => []).push(a);
  }
  /** The node before each that was reached. */
  const before = new Map<number, number | null>([[from, null]]);
  const queue = [from];
  for (const node of queue) {
    if (node === to) break;
    for (const next of (partners.get(node) ?? []).toSorted((a, b) => a - b)) {
      if (before.has(next) || past.includes(next)) continue;
      before.set(next, node);
      queue.push(next);
    }
  }
  if (!before.has(to)) return null;
  const way: number[] = [];
  for (let at: number | null = to; at !== null; at = before.get(at) ?? null) way.unshift(at);
  return way;
}
