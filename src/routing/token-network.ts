/** The graph of one token network, with the questions that can be asked about it. */
import { MAX_UINT256 } from '../basics/amount.ts';
import { findRoutes } from './alternatives.ts';
import {
  arcChannel,
  type ChannelGraph,
  closeChannel,
  createGraph,
  edgeOf,
  NONE,
  nodeAddress,
  nodeOf,
  noteCapacities,
  noteTotal,
  openChannel,
  setTariff,
  targetOf,
} from './graph.ts';
import type { FoundPath, PathRequest, RoutedNetwork } from './network.ts';
import { createScratch, type Scratch } from './search.ts';
import { suggestPartners } from './suggest.ts';
import { tariffOf } from './tariff.ts';

/** Protocol section 7.1. */
const DIVERSITY_PENALTY = 5;
const FEE_PENALTY = 100;

/** An empty token network. */
export function createRoutedNetwork(): RoutedNetwork {
  const graph = createGraph();
  const scratch = createScratch();
  return {
    open: (channel) => openChannel(graph, channel),
    close: (channelId) => closeChannel(graph, channelId),
    setTotal(channelId, participant, change) {
      const edge = edgeOf(graph, channelId, participant);
      if (edge !== NONE) noteTotal(graph, edge, change);
    },
    channel: (channelId) => arcChannel(graph, channelId),
    update(capacities) {
      const { updatingCapacity, otherCapacity, revealTimeout } = capacities;
      const edge = edgeOf(graph, capacities.channelId, capacities.updatingParticipant);
      const isAmount = (word: bigint) => word >= 0n && word <= MAX_UINT256;
      if (edge === NONE || ![updatingCapacity, otherCapacity, revealTimeout].every(isAmount)) {
        return false;
      }
      noteCapacities(graph, edge, capacities);
      return true;
    },
    charge(channelId, participant, schedule) {
      const edge = edgeOf(graph, channelId, participant);
      const tariff = edge === NONE ? null : tariffOf(schedule);
      if (tariff === null) return false;
      setTariff(graph, edge, tariff);
      return true;
    },
    recharge(channelId, participant, tariff) {
      const edge = edgeOf(graph, channelId, participant);
      if (edge !== NONE) setTariff(graph, edge, tariff);
      return edge !== NONE;
    },
    paths: (request) => findPaths(graph, scratch, request),
    suggest: (uptimeOf) => suggestPartners(graph, uptimeOf),
    size: () => ({ nodes: graph.nodes.size, channels: graph.slots.size }),
  };
}

function findPaths(graph: ChannelGraph, scratch: Scratch, request: PathRequest): FoundPath[] {
  const { from, to, value, isReachable } = request;
  const [source, target] = [nodeOf(graph, from), nodeOf(graph, to)];
  if (source === NONE || target === NONE || source === target || value <= 0n) return [];
  const question = {
    source,
    target,
    value,
    units: Number(value),
    diversityPenalty: request.diversityPenalty ?? DIVERSITY_PENALTY,
    feePenalty: request.feePenalty ?? FEE_PENALTY,
    isUsable: (node: number) => isReachable === undefined || isReachable(nodeAddress(graph, node)),
  };
  const routes = findRoutes(graph, scratch, question, request.maxPaths);
  return routes.map(({ edges, sent }) => ({
    path: [from, ...edges.map((edge) => nodeAddress(graph, targetOf(graph, edge)))],
    estimatedFee: sent - value,
  }));
}
