/** The path search of the path-finding service, for benchmarks: a network, requests, and what each of them takes. */
import { DEFAULT_FEE_TERMS, scheduleOf } from '../../src/protocol/fees/fee-terms.ts';
import type { PathRequest, RoutedNetwork } from '../../src/routing/network.ts';
import { createRoutedNetwork } from '../../src/routing/token-network.ts';
import { ownCpuMs } from './process-figures.ts';
import { addressOf, amountBetween, type Channel, random } from './scale-free.ts';

const WARM_UP = 300;
export const MAX_PATHS = 3;

/** The network with what both sides of each channel said of it. */
export function loadNetwork(channels: readonly Channel[]): RoutedNetwork {
  const network = createRoutedNetwork();
  for (const { id: channelId, participants, capacities } of channels) {
    network.open({ channelId, participants, settleTimeout: 500n });
    const schedule = scheduleOf(DEFAULT_FEE_TERMS, capacities[0] + capacities[1]);
    for (const side of [0, 1] as const) {
      const [own, other] = [capacities[side], capacities[1 - side] ?? 0n];
      const updatingParticipant = participants[side];
      network.setTotal(channelId, updatingParticipant, { deposit: own });
      const words = { updatingCapacity: own, otherCapacity: other, revealTimeout: 50n };
      network.update({ channelId, updatingParticipant, ...words });
      network.charge(channelId, updatingParticipant, schedule);
    }
  }
  return network;
}

/** So many requests for three paths between any two of the nodes; there is a path for each. */
export function drawRequests(network: RoutedNetwork, nodes: number, count: number): PathRequest[] {
  const requests: PathRequest[] = [];
  while (requests.length < count) {
    const [from, to] = [random(), random()].map((at) => addressOf(Math.floor(at * nodes)));
    if (from === undefined || to === undefined || from === to) continue;
    const request = { from, to, value: amountBetween(0.1, 10), maxPaths: MAX_PATHS };
    if (network.paths(request).length > 0) requests.push(request);
  }
  return requests;
}

/** Milliseconds of CPU time of each request, ascending. */
export function timesOf(
  requests: readonly PathRequest[],
  search: (request: PathRequest) => unknown,
): number[] {
  for (const request of requests.slice(0, WARM_UP)) search(request);
  const times = requests.map((request) => {
    const start = ownCpuMs();
    search(request);
    return ownCpuMs() - start;
  });
  return times.sort((a, b) => a - b);
}

export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(Math.floor(ascending.length * share), ascending.length - 1)] ?? 0;
}
