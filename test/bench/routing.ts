/**
 * Finding three paths in a network of 10,000 nodes and 50,000 channels, beside what a library's search
 * takes in the same run. The library gets the easier task: no imbalance fees and no exact check.
 */
import createLibraryGraph from 'ngraph.graph';
import { nba } from 'ngraph.path';
import type { PathRequest } from '../../src/routing/network.ts';
import { drawRequests, loadNetwork, MAX_PATHS, quantile, timesOf } from './path-search.ts';
import { ownCpuMs } from './process-figures.ts';
import { type Measured, report, round } from './report.ts';
import { type Channel, channelsOfNetwork, NODES } from './scale-free.ts';

const REQUESTS = 2_000;
/** The library is slower: fewer of the same requests say enough. */
const LIBRARY_REQUESTS = 200;

type LinkData = { slot: number; capacity: number; back: number };

/** Three searches by the library, with what is used before made dearer. */
function librarySearch(channels: readonly Channel[]) {
  const graph = createLibraryGraph<undefined, LinkData>();
  for (const [slot, { participants, capacities }] of channels.entries()) {
    const [forth, back] = [Number(capacities[0]), Number(capacities[1])];
    graph.addLink(participants[0], participants[1], { slot, capacity: forth, back });
    graph.addLink(participants[1], participants[0], { slot, capacity: back, back: forth });
  }
  const uses = new Map<number, number>();
  let value = 0;
  const finder = nba(graph, {
    oriented: true,
    blocked: (_from, _to, { data }) => data.capacity < value,
    distance: (_from, _to, { data }) =>
      1 +
      5 * (uses.get(data.slot) ?? 0) +
      (0.004 * value * 100) / 1e18 +
      (data.back < 1.1 * value ? 1 : 0),
  });
  return (request: PathRequest) => {
    value = Number(request.value);
    uses.clear();
    for (let turn = 0; turn < MAX_PATHS; turn++) {
      const nodes = finder.find(request.to, request.from);
      for (const [at, node] of nodes.entries()) {
        const next = nodes[at + 1];
        if (next === undefined) continue;
        const slot = (graph.getLink(node.id, next.id) ?? graph.getLink(next.id, node.id))?.data
          .slot;
        if (slot !== undefined) uses.set(slot, (uses.get(slot) ?? 0) + 1);
      }
    }
  };
}

/** Bytes that stay in use. */
function memory(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const channels = channelsOfNetwork();
const memoryBefore = memory();
const start = ownCpuMs();
const network = loadNetwork(channels);
const loadTime = ownCpuMs() - start;
const memoryUsed = memory() - memoryBefore;

const requests = drawRequests(network, NODES, REQUESTS);
const paths = requests.flatMap((request) => network.paths(request));
const hops = paths.reduce((sum, { path }) => sum + path.length - 1, 0) / paths.length;
const ours = timesOf(requests, network.paths);
const theirs = timesOf(requests.slice(0, LIBRARY_REQUESTS), librarySearch(channels));

const { nodes, channels: opened } = network.size();
console.log(`${nodes} nodes, ${opened} channels; ${REQUESTS} requests for ${MAX_PATHS} paths,`);
console.log(`${(paths.length / REQUESTS).toFixed(2)} found for each, ${hops.toFixed(2)} hops long`);
console.log('the reference is the bidirectional search of ngraph.path, three times');
const rows: Measured[] = [
  ['median', 0.5] as const,
  ['p90', 0.9] as const,
  ['p99', 0.99] as const,
  ['max', 1] as const,
].map(([name, share]) => ({
  metric: `search for a request, ${name}`,
  value: round(quantile(ours, share)),
  unit: 'CPU ms',
  reference: round(quantile(theirs, share)),
}));
report('routing', [
  { metric: 'load the network', value: round(loadTime), unit: 'CPU ms' },
  { metric: 'memory of the network', value: round(memoryUsed / 2 ** 20), unit: 'MiB' },
  ...rows,
]);
