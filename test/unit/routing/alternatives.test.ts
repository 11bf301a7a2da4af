import { expect, it } from 'vitest';
import { findRoutes } from '../../../src/routing/alternatives.ts';
import {
  createGraph,
  edgeOf,
  nodeOf,
  noteCapacities,
  noteTotal,
  openChannel,
} from '../../../src/routing/graph.ts';
import { createScratch } from '../../../src/routing/search.ts';
import { nodeAt } from './network-makers.ts';

const CAPACITY = 100n;

/** Every node has a channel with every other one: the number of ways is beyond counting. */
function everyoneWithEveryone(nodes: number) {
  const graph = createGraph();
  let channelId = 0n;
  for (let one = 0; one < nodes; one++) {
    for (let two = one + 1; two < nodes; two++) {
      channelId += 1n;
      openChannel(graph, {
        channelId,
        participants: [nodeAt(one), nodeAt(two)],
        settleTimeout: 500n,
      });
      const told = { updatingCapacity: CAPACITY, otherCapacity: CAPACITY, revealTimeout: 50n };
      for (const updatingParticipant of [nodeAt(one), nodeAt(two)]) {
        const edge = edgeOf(graph, channelId, updatingParticipant);
        noteTotal(graph, edge, { deposit: CAPACITY });
        noteCapacities(graph, edge, { channelId, updatingParticipant, ...told });
      }
    }
  }
  return graph;
}

it('a search for routes ends, however many routes of the same channels a client asks for', () => {
  const graph = everyoneWithEveryone(12);
  const scratch = createScratch();
  const question = {
    source: nodeOf(graph, nodeAt(0)),
    target: nodeOf(graph, nodeAt(1)),
    value: 1n,
    units: 1,
    diversityPenalty: 0,
    feePenalty: 0,
    isUsable: () => true,
  };
  expect(findRoutes(graph, scratch, question, 27)).not.toEqual([]);
  expect(scratch.round).toBeLessThan(250);
});
