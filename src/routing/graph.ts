/**
 * The channels of one token network. Channel `slot` has two directed edges: `2 * slot` from the first participant to
 * the second and `2 * slot + 1` back, so that `edge ^ 1` is the other direction. The places of closed channels, and
 * of nodes without channels, are used again.
 *
 * A search looks at thousands of edges, and most of its time is spent waiting for memory. So each node has its edges
 * in a row (see arcs.ts), with the numbers by which most of them can be ruled out at once.
 */
import { type Address, ZERO_ADDRESS } from '../basics/hex.ts';
import { type Arcs, addArc, createArcs, removeArc, setArc } from './arcs.ts';
import { createEvenCurves, type EvenCurves, growCurves, keepCurve } from './even-curves.ts';
import type { Capacities, NetworkChannel } from './network.ts';
import { NO_SLOPES, roughPenalty, slopesAt, type Tariff } from './tariff.ts';

export const NONE = -1;
const FIRST_SIZE = 64;

/** Numbers in the record of an edge, and 32-bit words in the same record. */
export const NUMBERS = 12;
export const EDGE_WORDS = 24;
/** Places of numbers in a record: what the sender can send, and its tariff (see `Tariff`). */
export const CAPACITY = 0;
export const CURVE_BASE = 1;
export const RATE = 2;
/** The penalty at the sender's present balance. */
export const PENALTY = 3;
/** How the penalty changes when the sender's balance falls or rises (see `Slopes`). */
const FALL = 4;
const FALL_STRAIGHT = 5;
const RISE = 6;
const RISE_STRAIGHT = 7;
/** Used by searches: the edge's weight in the request that `WEIGHED` names. */
export const WEIGHT = 8;
/** Places of 32-bit words in a record, after the numbers. */
const FROM = 18;
/** Used by searches: the last request that weighed the edge, and the last round that forbade it. */
export const WEIGHED = 19;
export const FORBIDDEN = 20;
/** What `keepCurve` answered for the sender's curve. */
export const SEARCH_STEPS = 21;
/** The place of a number: the own balance at the last point of that curve. */
export const END_BALANCE = 11;

/** Amounts in the token's smallest unit; those in records are doubles. Arrays are indexed by node or by edge. */
export type ChannelGraph = {
  nodes: Map<Address, number>;
  addresses: Address[];
  freeNodes: number[];
  arcs: Arcs;
  /** What the node can send over all its channels together. */
  ownCapacities: bigint[];

  slots: Map<bigint, number>;
  freeSlots: number[];
  /** Indexed by slot. */
  channelIds: bigint[];
  settleTimeouts: bigint[];

  /** The records of the edges, as numbers and as words. */
  numbers: Float64Array;
  words: Int32Array;
  /** The capacity that counts; 0 until both participants have announced one. */
  capacities: bigint[];
  /**
   * At `2 * edge` what the sender says that it can send, at `2 * edge + 1` what its partner says that the sender can
   * send.
   */
  said: bigint[];
  deposits: bigint[];
  withdraws: bigint[];
  /** The reveal timeout that the sender announced; 0 while it has announced none. */
  revealTimeouts: bigint[];
  /** What the sender charges for this channel, in whichever direction it is used. */
  tariffs: (Tariff | null)[];
  curves: EvenCurves;
};

export function createGraph(): ChannelGraph {
  const numbers = new Float64Array(NUMBERS * FIRST_SIZE);
  return {
    nodes: new Map(),
    addresses: [],
    freeNodes: [],
    arcs: createArcs(),
    ownCapacities: [],
    slots: new Map(),
    freeSlots: [],
    channelIds: [],
    settleTimeouts: [],
    numbers,
    words: new Int32Array(numbers.buffer),
    capacities: [],
    said: [],
    deposits: [],
    withdraws: [],
    revealTimeouts: [],
    tariffs: [],
    curves: createEvenCurves(FIRST_SIZE),
  };
}

/** The node of the address, or NONE. */
export function nodeOf(graph: ChannelGraph, address: Address): number {
  return graph.nodes.get(address) ?? NONE;
}

export function nodeAddress(graph: ChannelGraph, node: number): Address {
  return graph.addresses[node] ?? ZERO_ADDRESS;
}

export function sourceOf(graph: ChannelGraph, edge: number): number {
  return graph.words[EDGE_WORDS * edge + FROM] ?? NONE;
}

export function targetOf(graph: ChannelGraph, edge: number): number {
  return sourceOf(graph, edge ^ 1);
}

export function slotOf(edge: number): number {
  return edge >> 1;
}

/** The edge on which the participant sends, or NONE: no such channel, or not its channel. */
export function edgeOf(graph: ChannelGraph, channelId: bigint, participant: Address): number {
  const slot = graph.slots.get(channelId);
  const node = graph.nodes.get(participant);
  if (slot === undefined || node === undefined) return NONE;
  if (sourceOf(graph, 2 * slot) === node) return 2 * slot;
  return sourceOf(graph, 2 * slot + 1) === node ? 2 * slot + 1 : NONE;
}

export function arcChannel(graph: ChannelGraph, channelId: bigint): NetworkChannel | null {
  const slot = graph.slots.get(channelId);
  if (slot === undefined) return null;
  const [one, two] = [sourceOf(graph, 2 * slot), sourceOf(graph, 2 * slot + 1)];
  return {
    channelId,
    participants: [nodeAddress(graph, one), nodeAddress(graph, two)],
    settleTimeout: graph.settleTimeouts[slot] ?? 0n,
  };
}

/** Opening twice changes nothing. */
export function openChannel(graph: ChannelGraph, channel: NetworkChannel): void {
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
  graph.words[EDGE_WORDS * one + FROM] = addNode(graph, participants[0]);
  graph.words[EDGE_WORDS * two + FROM] = addNode(graph, participants[1]);
  for (const edge of [one, two]) {
    addArc(graph.arcs, sourceOf(graph, edge), edge, targetOf(graph, edge));
  }
}

export function closeChannel(graph: ChannelGraph, channelId: bigint): void {
  const slot = graph.slots.get(channelId);
  if (slot === undefined) return;
  graph.slots.delete(channelId);
  graph.freeSlots.push(slot);
  const edges = [2 * slot, 2 * slot + 1];
  for (const edge of edges) setCapacity(graph, edge, 0n);
  for (const edge of edges) {
    const node = sourceOf(graph, edge);
    if (removeArc(graph.arcs, node, edge) === 0) dropNode(graph, node);
    clearEdge(graph, edge);
  }
}

/** `edge`: the edge on which the participant sends that announces these capacities. */
export function noteCapacities(graph: ChannelGraph, edge: number, told: Capacities): void {
  graph.said[2 * edge] = told.updatingCapacity;
  graph.said[2 * (edge ^ 1) + 1] = told.otherCapacity;
  graph.revealTimeouts[edge] = told.revealTimeout;
  weigh(graph, edge);
}

/** `edge`: the edge on which the participant sends whose total changes. */
export function noteTotal(
  graph: ChannelGraph,
  edge: number,
  { deposit, withdraw }: { deposit?: bigint; withdraw?: bigint },
): void {
  if (deposit !== undefined) graph.deposits[edge] = deposit;
  if (withdraw !== undefined) graph.withdraws[edge] = withdraw;
  weigh(graph, edge);
}

/** Computes the capacities that count in both directions of the edge's channel. */
function weigh(graph: ChannelGraph, edge: number): void {
  const both = [edge, edge ^ 1];
  const settleTimeout = graph.settleTimeouts[slotOf(edge)] ?? 0n;
  // A dispute over a channel with so short a settle timeout can end before a secret is on chain.
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

function setCapacity(graph: ChannelGraph, edge: number, capacity: bigint): void {
  const node = sourceOf(graph, edge);
  const before = graph.capacities[edge] ?? 0n;
  // Most announcements change nothing, because both sides usually announce the same.
  if (capacity === before) return;
  graph.ownCapacities[node] = (graph.ownCapacities[node] ?? 0n) - before + capacity;
  graph.capacities[edge] = capacity;
  graph.numbers[NUMBERS * edge + CAPACITY] = Number(capacity);
  noteNumbers(graph, edge);
}

/** What the sender of the edge charges; null: nothing. */
export function setTariff(graph: ChannelGraph, edge: number, tariff: Tariff | null): void {
  graph.tariffs[edge] = tariff;
  graph.numbers[NUMBERS * edge + CURVE_BASE] = tariff?.base ?? 0;
  graph.numbers[NUMBERS * edge + RATE] = tariff?.rate ?? 0;
  const curve = tariff?.curve ?? null;
  graph.numbers[NUMBERS * edge + END_BALANCE] = curve?.end ?? 0;
  graph.words[EDGE_WORDS * edge + SEARCH_STEPS] = keepCurve(graph.curves, edge, curve);
  noteNumbers(graph, edge);
}

/** Updates the numbers that searches read; to be called after each change of capacity or tariff. */
function noteNumbers(graph: ChannelGraph, edge: number): void {
  const { numbers } = graph;
  const at = NUMBERS * edge;
  const curve = graph.tariffs[edge]?.curve ?? null;
  const balance = numbers[at + CAPACITY] ?? 0;
  const { fall, fallStraight, rise, riseStraight } =
    curve === null ? NO_SLOPES : slopesAt(curve, balance);
  numbers[at + PENALTY] = curve === null ? 0 : roughPenalty(curve, balance);
  numbers[at + FALL] = fall;
  numbers[at + FALL_STRAIGHT] = fallStraight;
  numbers[at + RISE] = rise;
  numbers[at + RISE_STRAIGHT] = riseStraight;
  noteArc(graph, edge);
  noteArc(graph, edge ^ 1);
}

/** Over an edge its sender's balance falls and its receiver's rises: what is charged depends on both. */
function noteArc({ arcs, numbers }: ChannelGraph, edge: number): void {
  const own = (place: number) => numbers[NUMBERS * edge + place] ?? 0;
  const others = (place: number) => numbers[NUMBERS * (edge ^ 1) + place] ?? 0;
  const rates = own(RATE) + others(RATE);
  setArc(arcs, edge, {
    sendable: [own(CAPACITY), others(CAPACITY)],
    rate: [rates + own(FALL) + others(RISE), rates + others(FALL) + own(RISE)],
    straight: [
      Math.min(own(FALL_STRAIGHT), others(RISE_STRAIGHT)),
      Math.min(others(FALL_STRAIGHT), own(RISE_STRAIGHT)),
    ],
    base: own(CURVE_BASE) + others(CURVE_BASE),
  });
}

function clearEdge(graph: ChannelGraph, edge: number): void {
  graph.capacities[edge] = 0n;
  graph.numbers.fill(0, NUMBERS * edge, NUMBERS * (edge + 1));
  graph.said[2 * edge] = 0n;
  graph.said[2 * edge + 1] = 0n;
  graph.deposits[edge] = 0n;
  graph.withdraws[edge] = 0n;
  graph.revealTimeouts[edge] = 0n;
  graph.tariffs[edge] = null;
}

function addNode(graph: ChannelGraph, address: Address): number {
  const known = graph.nodes.get(address);
  if (known !== undefined) return known;
  const node = graph.freeNodes.pop() ?? graph.addresses.length;
  graph.nodes.set(address, node);
  graph.addresses[node] = address;
  graph.ownCapacities[node] = 0n;
  return node;
}

/** Removes a node whose last channel was closed. */
function dropNode(graph: ChannelGraph, node: number): void {
  graph.nodes.delete(nodeAddress(graph, node));
  graph.addresses[node] = ZERO_ADDRESS;
  graph.freeNodes.push(node);
}

function growEdges(graph: ChannelGraph, edges: number): void {
  const { length } = graph.numbers;
  if (NUMBERS * edges <= length) return;
  const numbers = new Float64Array(2 * length);
  numbers.set(graph.numbers);
  graph.numbers = numbers;
  graph.words = new Int32Array(numbers.buffer);
  growCurves(graph.curves, (2 * length) / NUMBERS);
}
