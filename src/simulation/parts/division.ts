/** Which nodes of a large network run on which thread. */
import type { NodePlan } from '../scenario/topology.ts';

/**
 * The part of each node, by its index: each part has about as many ends of channels, as work and memory grow with them. The
 * busiest nodes are dealt first, each to the part that has least.
 */
export function divide(
  nodes: readonly Pick<NodePlan, 'index' | 'degree'>[],
  parts: number,
): number[] {
  const loads = Array.from({ length: parts }, () => 0);
  const partOf: number[] = [];
  for (const { index, degree } of nodes.toSorted(
    (a, b) => b.degree - a.degree || a.index - b.index,
  )) {
    const lightest = loads.indexOf(Math.min(...loads));
    partOf[index] = lightest;
    loads[lightest] = (loads[lightest] ?? 0) + degree + 1;
  }
  return partOf;
}
