/**
 * What nodes of an imported network ask for passing payments on, and how many blocks they want to have for it. Elsewhere a
 * node may have other terms in each of its channels; here it has one set of terms: of those of its channels, weighted by
 * their capacity, the median.
 */
import { larger, smaller } from '../../../basics/amount.ts';
import type { FeeTerms } from '../../../protocol/fees/fee-terms.ts';
import { type SideTerms, totalOf } from './channel-list.ts';
import type { ImportedChannel } from './importing.ts';

type Node = { fees: FeeTerms; revealTimeout: bigint; settleTimeout: bigint };
type Side = { terms: SideTerms; weight: bigint };
type Weighted = { value: bigint; weight: bigint };

/**
 * Changes the nodes that say what they want in any of their channels. Whoever says a fee asks none for imbalance. Reveal
 * timeouts are at least `leastReveal`, and at most half of the settle timeout, as every node demands.
 */
export function applyImportedTerms(
  nodes: readonly Node[],
  channels: readonly ImportedChannel[],
  leastReveal: bigint,
): void {
  const sides = nodes.map((): Side[] => []);
  for (const channel of channels) {
    const weight = totalOf(channel);
    sides[channel.a]?.push({ terms: channel.termsA, weight });
    sides[channel.b]?.push({ terms: channel.termsB, weight });
  }
  for (const [index, node] of nodes.entries()) {
    const median = (of: (terms: SideTerms) => bigint | null) => medianOf(sides[index] ?? [], of);
    const flat = median((terms) => terms.flat);
    const proportional = median((terms) => terms.proportional);
    const reveal = median((terms) => terms.revealTimeout);
    if (flat !== null || proportional !== null)
      node.fees = {
        ...node.fees,
        flat: flat ?? 0n,
        proportional: proportional ?? 0n,
        imbalance: 0n,
      };
    if (reveal !== null)
      node.revealTimeout = smaller(larger(reveal, leastReveal), node.settleTimeout / 2n);
  }
}

/** The least of the values that, with those below it, have half of the weight; null: no side has a value. */
function medianOf(sides: readonly Side[], of: (terms: SideTerms) => bigint | null): bigint | null {
  const found: Weighted[] = sides.flatMap(({ terms, weight }) => {
    const value = of(terms);
    return value === null ? [] : [{ value, weight }];
  });
  const all = found.reduce((sum, { weight }) => sum + weight, 0n);
  let below = 0n;
  for (const { value, weight } of found.toSorted(byValue)) {
    below += weight;
    if (2n * below >= all) return value;
  }
  return null;
}

function byValue(one: Weighted, other: Weighted): number {
  return one.value < other.value ? -1 : one.value > other.value ? 1 : 0;
}
