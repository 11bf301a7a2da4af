/**
 * The channels of one token network. Channel `slot` has two directed edges: `2 * slot` from the first
 * participant to the second and `2 * slot + 1` back, so that `edge ^ 1` is the other direction. Each node's
 * outgoing edges are a linked list. Places of closed channels and of nodes without any are used again.
 */
import { type Address, ZERO_ADDRESS } from '../protocol/hex.ts';
import type { Capacities, NetworkChannel } from './network.ts';
import type { Tariff } from './tariff.ts';

export const NONE = -1;
const FIRST_SIZE = 64;

/** Amounts in the token's smallest unit; `…Units` are the same in doubles. Arrays by node or by edge. */
export type Graph = {
  nodes: Map<Address, number>;
  addresses: Address[];
  freeNodes: number[];
  firstOut: Int32Array;
  degrees: Int32Array;
  /** What the node can send over all its channels together. */
  ownCapacities: bigint[];

  slots: Map<bigint, number>;
  freeSlots: number[];
  /** By slot. */
  channelIds: bigint[];
  settleTimeouts: bigint[];

  from: Int32Array;
  next: Int32Array;
  previous: Int32Array;
  /** What counts: 0 until both have said something. */
  capacities: bigint[];
  capacityUnits: Float64Array;
  /** At `2 * edge` what the sender says that it can send, at `2 * edge + 1` what its partner says of it. */
  said: bigint[];
  deposits: bigint[];
  withdraws: bigint[];
  /** The sender's word on its own; 0 while there is none. */
  revealTimeouts: bigint[];
  /** What the sender charges for this channel, whichever way it is used. */
  tariffs: (Tariff | null)[];
};

export function createGraph(): Graph {
  return {
    nodes: new Map(),
    addresses: [],
    freeNodes: [],
    firstOut: new Int32Array(FIRST_SIZE),
    degrees: new Int32Array(FIRST_SIZE),
    ownCapacities: [],
    slots: new Map(),
    freeSlots: [],
    channelIds: [],
    settleTimeouts: [],
    from: new Int32Array(FIRST_SIZE),
    next: new Int32Array(FIRST_SIZE),
    previous: new Int32Array(FIRST_SIZE),
    capacities: [],
    capacityUnits: new Float64Array(FIRST_SIZE),
    said: [],
    deposits: [],
    withdraws: [],
    revealTimeouts: [],
    tariffs: [],
  };
}

/** The node of the address, or NONE. */
export function nodeOf(graph: Graph, address: Address): number {
  return graph.nodes.get(address) ?? NONE;
}

export function addressOf(graph: Graph, node: number): Address {
  return graph.addresses[node] ?? ZERO_ADDRESS;
}

export function targetOf(graph: Graph, edge: number): number {
  return graph.from[edge ^ 1] ?? NONE;
}

export function slotOf(edge: number): number {
  return edge >> 1;
}

/** The edge on which the participant sends, or NONE: no such channel, or not its channel. */
export function edgeOf(graph: Graph, channelId: bigint, participant: Address): number {
  const slot = graph.slots.get(channelId);
  const node = graph.nodes.get(participant);
  if (slot === undefined || node === undefined) return NONE;
  if (graph.from[2 * slot] === node) return 2 * slot;
  return graph.from[2 * slot + 1] === node ? 2 * slot + 1 : NONE;
}

export function channelOf(graph: Graph, channelId: bigint): NetworkChannel | null {
  const slot = graph.slots.get(channelId);
  if (slot === undefined) return null;
  const [one, two] = [graph.from[2 * slot] ?? NONE, graph.from[2 * slot + 1] ?? NONE];
  return {
    channelId,
    participants: [addressOf(graph, one), addressOf(graph, two)],
    settleTimeout: graph.settleTimeouts[slot] ?? 0n,
  };
}

/** Opening twice changes nothing. */
export function openChannel(graph: Graph, channel: NetworkChannel): void {
  const { channelId, participants, settleTimeout } = channel;
  if (graph.slots.has(channelId)) return;
  const slot = graph.freeSlots.pop() ?? graph.channelIds.length;
  growEdges(graph, 2 * slot + 2);
  graph.slots.set(channelId, slot);
  graph.channelIds[slot] = channelId;
  graph.settleTimeouts[slot] = settleTimeout;
  const [one, two] = [2 * slot, 2 * slot + 1];
  clearEdge(graph, one);
  clearEdge(graph, two);
  link(graph, one, addNode(graph, participants[0]));
  link(graph, two, addNode(graph, participants[1]));
}

export function closeChannel(graph: Graph, channelId: bigint): void {
  const slot = graph.slots.get(channelId);
  if (slot === undefined) return;
  graph.slots.delete(channelId);
  graph.freeSlots.push(slot);
  for (const edge of [2 * slot, 2 * slot + 1]) {
    setCapacity(graph, edge, 0n);
    unlink(graph, edge);
    clearEdge(graph, edge);
  }
}

/** `edge`: the one on which the participant sends who says this. */
export function noteCapacities(graph: Graph, edge: number, told: Capacities): void {
  graph.said[2 * edge] = told.updatingCapacity;
  graph.said[2 * (edge ^ 1) + 1] = told.otherCapacity;
  graph.revealTimeouts[edge] = told.revealTimeout;
  weigh(graph, edge);
}

/** `edge`: the one on which the participant sends whose total changes. */
export function noteTotal(
  graph: Graph,
  edge: number,
  { deposit, withdraw }: { deposit?: bigint; withdraw?: bigint },
): void {
  if (deposit !== undefined) graph.deposits[edge] = deposit;
  if (withdraw !== undefined) graph.withdraws[edge] = withdraw;
  weigh(graph, edge);
}

/** What counts in both directions of the edge's channel. */
function weigh(graph: Graph, edge: number): void {
  const both = [edge, edge ^ 1];
  const settleTimeout = graph.settleTimeouts[slotOf(edge)] ?? 0n;
  // A dispute over such a channel can end before a secret is on chain.
  const isTooShort = both.some((one) => settleTimeout < 2n * (graph.revealTimeouts[one] ?? 0n));
  const total = both.reduce(
    (sum, one) => sum + (graph.deposits[one] ?? 0n) - (graph.withdraws[one] ?? 0n),
    0n,
  );
  const limit = isTooShort || total < 0n ? 0n : total;
  for (const one of both) {
    const [own, partners] = [graph.said[2 * one] ?? 0n, graph.said[2 * one + 1] ?? 0n];
    const said = own < partners ? own : partners;
    setCapacity(graph, one, said < limit ? said : limit);
  }
}

function setCapacity(graph: Graph, edge: number, capacity: bigint): void {
  const node = graph.from[edge] ?? NONE;
  const before = graph.capacities[edge] ?? 0n;
  graph.ownCapacities[node] = (graph.ownCapacities[node] ?? 0n) - before + capacity;
  graph.capacities[edge] = capacity;
  graph.capacityUnits[edge] = Number(capacity);
}

function clearEdge(graph: Graph, edge: number): void {
  graph.capacities[edge] = 0n;
  graph.capacityUnits[edge] = 0;
  graph.said[2 * edge] = 0n;
  graph.said[2 * edge + 1] = 0n;
  graph.deposits[edge] = 0n;
  graph.withdraws[edge] = 0n;
  graph.revealTimeouts[edge] = 0n;
  graph.tariffs[edge] = null;
}

function addNode(graph: Graph, address: Address): number {
  const known = graph.nodes.get(address);
  if (known !== undefined) return known;
  const node = graph.freeNodes.pop() ?? graph.addresses.length;
  if (node >= graph.firstOut.length) {
    graph.firstOut = copyOf(graph.firstOut, new Int32Array(2 * graph.firstOut.length));
    graph.degrees = copyOf(graph.degrees, new Int32Array(2 * graph.degrees.length));
  }
  graph.nodes.set(address, node);
  graph.addresses[node] = address;
  graph.firstOut[node] = NONE;
  graph.degrees[node] = 0;
  graph.ownCapacities[node] = 0n;
  return node;
}

function link(graph: Graph, edge: number, node: number): void {
  const first = graph.firstOut[node] ?? NONE;
  graph.from[edge] = node;
  graph.next[edge] = first;
  graph.previous[edge] = NONE;
  if (first !== NONE) graph.previous[first] = edge;
  graph.firstOut[node] = edge;
  graph.degrees[node] = (graph.degrees[node] ?? 0) + 1;
}

/** The last channel of a node takes the node along. */
function unlink(graph: Graph, edge: number): void {
  const node = graph.from[edge] ?? NONE;
  const [next, previous] = [graph.next[edge] ?? NONE, graph.previous[edge] ?? NONE];
  if (previous === NONE) graph.firstOut[node] = next;
  else graph.next[previous] = next;
  if (next !== NONE) graph.previous[next] = previous;
  graph.degrees[node] = (graph.degrees[node] ?? 1) - 1;
  if (graph.degrees[node] !== 0) return;
  graph.nodes.delete(addressOf(graph, node));
  graph.addresses[node] = ZERO_ADDRESS;
  graph.freeNodes.push(node);
}

function growEdges(graph: Graph, edges: number): void {
  const { length } = graph.from;
  if (edges <= length) return;
  graph.from = copyOf(graph.from, new Int32Array(2 * length));
  graph.next = copyOf(graph.next, new Int32Array(2 * length));
  graph.previous = copyOf(graph.previous, new Int32Array(2 * length));
  graph.capacityUnits = copyOf(graph.capacityUnits, new Float64Array(2 * length));
}

function copyOf<T extends Int32Array | Float64Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
