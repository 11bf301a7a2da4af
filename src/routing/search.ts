/**
 * The cheapest way between two nodes: Dijkstra from both ends at once, weights worked out only for edges
 * that are looked at. Amounts are compared in doubles, exactly where the doubles are equal: rounding keeps
 * the order, so that no edge is left out which can carry the amount.
 */
import { type Graph, NONE, slotOf, targetOf } from './graph.ts';
import { createHeap, type Heap, pop, push, smallest } from './heap.ts';
import { roughFee } from './tariff.ts';

/** One request; what is the same in all searches for it. */
export type Question = {
  source: number;
  target: number;
  value: bigint;
  /** The value in doubles. */
  units: number;
  diversityPenalty: number;
  feePenalty: number;
  /** Whether a node can pass a payment on; asked at most once for each. */
  isUsable: (node: number) => boolean;
};
/** `edges` from the source to the target. */
export type Way = { weight: number; edges: number[] };

type Side = {
  /** Of the nodes that were seen in this round. */
  distances: Float64Array;
  /** The edge by which a node is reached. */
  via: Int32Array;
  seen: Int32Array;
  heap: Heap;
};
/** Memory that searches use again; a place counts only when its mark is that of this round or request. */
export type Scratch = {
  round: number;
  request: number;
  sides: readonly [Side, Side];
  /** By edge. */
  weights: Float64Array;
  weighed: Int32Array;
  forbidden: Int32Array;
  /** By node: the request, negative for a node that cannot be used. */
  asked: Int32Array;
  /** By channel: how often earlier ways of this request use it. */
  uses: Map<number, number>;
};

/** One fee unit of the weight is a whole token of 18 decimals. Protocol section 7.1. */
const FEE_UNIT = 1e18;
/** The way back must carry this times the value, or a refund may fail. */
const REFUND_FACTOR = 1.1;
/** Marks are 32 bits: before they run out everything is forgotten. */
const LAST_MARK = 2 ** 31 - 2;

export function createScratch(): Scratch {
  return {
    round: 0,
    request: 0,
    sides: [createSide(0), createSide(0)],
    weights: new Float64Array(0),
    weighed: new Int32Array(0),
    forbidden: new Int32Array(0),
    asked: new Int32Array(0),
    uses: new Map(),
  };
}

function createSide(nodes: number): Side {
  return {
    distances: new Float64Array(nodes),
    via: new Int32Array(nodes),
    seen: new Int32Array(nodes),
    heap: createHeap(),
  };
}

/** To be called before the first search of a request. */
export function beginRequest(graph: Graph, scratch: Scratch): void {
  const [nodes, edges] = [graph.firstOut.length, graph.from.length];
  const isOld = scratch.asked.length !== nodes || scratch.weights.length !== edges;
  if (isOld || scratch.round > LAST_MARK / 2 || scratch.request === LAST_MARK) {
    const fresh = createScratch();
    fresh.sides = [createSide(nodes), createSide(nodes)];
    fresh.weights = new Float64Array(edges);
    fresh.weighed = new Int32Array(edges);
    fresh.forbidden = new Int32Array(edges);
    fresh.asked = new Int32Array(nodes);
    Object.assign(scratch, fresh);
  }
  scratch.request += 1;
  scratch.uses.clear();
}

/** The cheapest way that uses none of the forbidden edges, or null. */
export function cheapestWay(
  graph: Graph,
  scratch: Scratch,
  question: Question,
  forbidden: readonly number[],
): Way | null {
  scratch.round += 1;
  for (const edge of forbidden) scratch.forbidden[edge] = scratch.round;
  const [ahead, back] = scratch.sides;
  begin(ahead, question.source, scratch.round);
  begin(back, question.target, scratch.round);
  const best: Meeting = { weight: Number.POSITIVE_INFINITY, node: NONE };
  while (ahead.heap.size > 0 && back.heap.size > 0) {
    if (smallest(ahead.heap) + smallest(back.heap) >= best.weight) break;
    const isAhead = ahead.heap.size <= back.heap.size;
    expand(graph, scratch, question, isAhead, best);
  }
  if (best.node === NONE) return null;
  return { weight: best.weight, edges: edgesThrough(graph, scratch, question, best.node) };
}

type Meeting = { weight: number; node: number };

function begin(side: Side, node: number, round: number): void {
  side.heap.size = 0;
  side.distances[node] = 0;
  side.seen[node] = round;
  push(side.heap, 0, node);
}

/** Settles the nearest node of one side. */
function expand(
  graph: Graph,
  scratch: Scratch,
  question: Question,
  isAhead: boolean,
  best: Meeting,
): void {
  const { round } = scratch;
  const side = scratch.sides[isAhead ? 0 : 1];
  const other = scratch.sides[isAhead ? 1 : 0];
  const goal = isAhead ? question.target : question.source;
  const key = smallest(side.heap);
  const node = pop(side.heap);
  // A shorter way to it was found after this entry.
  if (key > (side.distances[node] ?? 0)) return;
  const otherNearest = smallest(other.heap);
  const { units } = question;
  for (let out = graph.firstOut[node] ?? NONE; out !== NONE; out = graph.next[out] ?? NONE) {
    const edge = isAhead ? out : out ^ 1;
    const capacity = graph.capacityUnits[edge] ?? 0;
    if (capacity < units) continue;
    if (capacity === units && (graph.capacities[edge] ?? 0n) < question.value) continue;
    const neighbour = targetOf(graph, out);
    const known =
      side.seen[neighbour] === round ? (side.distances[neighbour] ?? 0) : Number.POSITIVE_INFINITY;
    // No edge weighs less than 1.
    if (known <= key + 1 || scratch.forbidden[edge] === round) continue;
    if (neighbour !== goal && !isUsable(scratch, question, neighbour)) continue;
    const distance = key + weightOf(graph, scratch, question, edge);
    // Not with >=: a fee that is not defined makes NaN.
    if (!(distance < known)) continue;
    const isMet = other.seen[neighbour] === round;
    const rest = isMet ? (other.distances[neighbour] ?? 0) : otherNearest;
    if (distance + rest >= best.weight && !isMet) continue;
    side.distances[neighbour] = distance;
    side.via[neighbour] = edge;
    side.seen[neighbour] = round;
    push(side.heap, distance, neighbour);
    if (isMet && distance + rest < best.weight) {
      best.weight = distance + rest;
      best.node = neighbour;
    }
  }
}

function edgesThrough(graph: Graph, scratch: Scratch, question: Question, meeting: number) {
  const [ahead, back] = scratch.sides;
  const edges: number[] = [];
  for (let node = meeting; node !== question.source; ) {
    const edge = ahead.via[node] ?? NONE;
    edges.push(edge);
    node = graph.from[edge] ?? NONE;
  }
  edges.reverse();
  for (let node = meeting; node !== question.target; ) {
    const edge = back.via[node] ?? NONE;
    edges.push(edge);
    node = targetOf(graph, edge);
  }
  return edges;
}

function isUsable(scratch: Scratch, question: Question, node: number): boolean {
  const { asked, request } = scratch;
  if (asked[node] === request) return true;
  if (asked[node] === -request) return false;
  const isGood = node !== question.source && node !== question.target && question.isUsable(node);
  asked[node] = isGood ? request : -request;
  return isGood;
}

function weightOf(graph: Graph, scratch: Scratch, question: Question, edge: number): number {
  const { weights, weighed, request, uses } = scratch;
  if (weighed[edge] !== request) {
    weights[edge] = plainWeight(graph, question, edge);
    weighed[edge] = request;
  }
  const weight = weights[edge] ?? 0;
  if (uses.size === 0) return weight;
  return weight + question.diversityPenalty * (uses.get(slotOf(edge)) ?? 0);
}

/**
 * The weight of an edge that no earlier way uses. Its fee is what its two ends charge for this channel at
 * the value itself: the sender unless it is the initiator, the receiver unless it is the target. A fee
 * below 0 counts as none.
 */
function plainWeight(graph: Graph, question: Question, edge: number): number {
  const { units } = question;
  const [forth, back] = [graph.capacityUnits[edge] ?? 0, graph.capacityUnits[edge ^ 1] ?? 0];
  let fee = 0;
  const outTariff = graph.tariffs[edge] ?? null;
  const inTariff = graph.tariffs[edge ^ 1] ?? null;
  if (outTariff !== null && graph.from[edge] !== question.source) {
    fee += roughFee(outTariff, units, { before: forth, after: forth - units });
  }
  if (inTariff !== null && targetOf(graph, edge) !== question.target) {
    fee += roughFee(inTariff, units, { before: back, after: back + units });
  }
  const refund = back < REFUND_FACTOR * units ? 1 : 0;
  return 1 + (question.feePenalty * Math.max(fee, 0)) / FEE_UNIT + refund;
}
