/** Suggests good partners: nodes with many partners and a large capacity that are mostly online. */

import type { Address } from '../basics/hex.ts';
import type { ChannelGraph } from './graph.ts';
import type { Suggestion } from './network.ts';

const MOST_SUGGESTIONS = 5;

/**
 * Score = centrality * uptime * capacity. Centrality is the degree centrality: the share of all other nodes
 * that the node has a channel with, which every opening and closing keeps up to date.
 */
export function suggestPartners(
  graph: ChannelGraph,
  uptimeOf: (address: Address) => number,
): Suggestion[] {
  const best: Suggestion[] = [];
  const others = Math.max(graph.nodes.size - 1, 1);
  for (const [address, node] of graph.nodes) {
    const uptime = uptimeOf(address);
    if (!(uptime > 0)) continue;
    const centrality = (graph.arcs.degrees[node] ?? 0) / others;
    const capacity = graph.ownCapacities[node] ?? 0n;
    const score = centrality * uptime * Number(capacity);
    best.push({ address, score, centrality, uptime, capacity });
    best.sort(byScore);
    best.length = Math.min(best.length, MOST_SUGGESTIONS);
  }
  return best;
}

/** The address decides last, so that the same network always gives the same answer. */
function byScore(a: Suggestion, b: Suggestion): number {
  return b.score - a.score || b.centrality - a.centrality || (a.address < b.address ? -1 : 1);
}
