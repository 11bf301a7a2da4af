/**
 * The cheapest way between two nodes: Dijkstra from both ends at once, weights worked out only for edges
 * that are looked at. Amounts are compared in doubles, exactly where the doubles are equal: rounding keeps
 * the order, so that no edge is left out which can carry the amount.
 */
import { ARC_NUMBERS, ARC_WORDS, BACK, EDGE, END, FORTH, LEAST_BASE, LEAST_RATE } from './arcs.ts';
import {
  BASE,
  CAPACITY,
  FORBIDDEN,
  type Graph,
  NONE,
  NUMBERS,
  PENALTY,
  RATE,
  slotOf,
  sourceOf,
  targetOf,
  WEIGHED,
  WEIGHT,
  WORDS,
} from './graph.ts';
import { createHeap, type Heap, pop, push, smallest } from './heap.ts';
import { roughPenalty } from './tariff.ts';

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

/**
 * What one end knows of a node, in a record of both: a number for the distance, a word for the edge by which
 * it is reached and one for the mark.
 */
type Side = { offset: number; heap: Heap };
const NODE_NUMBERS = 4;
const NODE_WORDS = 8;
/** Of the first end; of the other one half a record later. */
const DISTANCE = 0;
const VIA = 2;
const SEEN = 3;

/** Memory that searches use again; what is in it counts only with the mark of this round or request. */
export type Scratch = {
  /** One search. */
  round: number;
  /** The searches for one question. */
  request: number;
  sides: readonly [Side, Side];
  /** By node. */
  numbers: Float64Array;
  words: Int32Array;
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
const LAST_MARK = 2 ** 31 - 1000;

export function createScratch(): Scratch {
  return {
    round: 0,
    request: 0,
    sides: [
      { offset: 0, heap: createHeap() },
      { offset: NODE_NUMBERS / 2, heap: createHeap() },
    ],
    numbers: new Float64Array(0),
    words: new Int32Array(0),
    asked: new Int32Array(0),
    uses: new Map(),
  };
}

/** To be called before the first search of a request. */
export function beginRequest(graph: Graph, scratch: Scratch): void {
  const nodes = graph.arcs.starts.length;
  const isWorn = Math.max(scratch.round, scratch.request) > LAST_MARK;
  if (scratch.asked.length !== nodes || isWorn) {
    scratch.numbers = new Float64Array(NODE_NUMBERS * nodes);
    scratch.words = new Int32Array(scratch.numbers.buffer);
    scratch.asked = new Int32Array(nodes);
  }
  if (isWorn) {
    forgetMarks(graph);
    scratch.round = 0;
    scratch.request = 0;
  }
  scratch.request += 1;
  scratch.uses.clear();
}

function forgetMarks({ words }: Graph): void {
  for (let edge = 0; WORDS * edge < words.length; edge++) {
    words[WORDS * edge + WEIGHED] = 0;
    words[WORDS * edge + FORBIDDEN] = 0;
  }
}

/** The cheapest way that uses none of the forbidden edges, or null. */
export function cheapestWay(
  graph: Graph,
  scratch: Scratch,
  question: Question,
  forbidden: readonly number[],
): Way | null {
  scratch.round += 1;
  for (const edge of forbidden) graph.words[WORDS * edge + FORBIDDEN] = scratch.round;
  const [ahead, back] = scratch.sides;
  begin(scratch, ahead, question.source);
  begin(scratch, back, question.target);
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

function begin(scratch: Scratch, side: Side, node: number): void {
  side.heap.size = 0;
  reach(scratch, side, node, 0, NONE);
}

function reach(scratch: Scratch, side: Side, node: number, distance: number, via: number): void {
  scratch.numbers[NODE_NUMBERS * node + side.offset + DISTANCE] = distance;
  const word = NODE_WORDS * node + 2 * side.offset;
  scratch.words[word + VIA] = via;
  scratch.words[word + SEEN] = scratch.round;
  push(side.heap, distance, node);
}

/** Infinity for a node that this side has not seen in this round. */
function distanceTo({ words, numbers, round }: Scratch, { offset }: Side, node: number): number {
  if (words[NODE_WORDS * node + 2 * offset + SEEN] !== round) return Number.POSITIVE_INFINITY;
  return numbers[NODE_NUMBERS * node + offset + DISTANCE] ?? 0;
}

function viaOf({ words }: Scratch, { offset }: Side, node: number): number {
  return words[NODE_WORDS * node + 2 * offset + VIA] ?? NONE;
}

/** Settles the nearest node of one side. */
function expand(
  graph: Graph,
  scratch: Scratch,
  question: Question,
  isAhead: boolean,
  best: Meeting,
): void {
  const { source, target, units } = question;
  const side = scratch.sides[isAhead ? 0 : 1];
  const other = scratch.sides[isAhead ? 1 : 0];
  const key = smallest(side.heap);
  const node = pop(side.heap);
  // A shorter way to it was found after this entry.
  if (key > distanceTo(scratch, side, node)) return;
  const otherNearest = smallest(other.heap);
  const { starts, degrees, numbers, words } = graph.arcs;
  const first = starts[node] ?? 0;
  const last = first + (degrees[node] ?? 0);
  for (let arc = first; arc < last; arc++) {
    const at = ARC_NUMBERS * arc;
    if ((numbers[at + (isAhead ? FORTH : BACK)] ?? 0) < units) continue;
    const neighbour = words[ARC_WORDS * arc + END] ?? NONE;
    const known = distanceTo(scratch, side, neighbour);
    const onward = distanceTo(scratch, other, neighbour);
    // Nothing through here is cheaper than what is known, whatever the fee is.
    const limit = Math.min(known, best.weight - Math.min(onward, otherNearest)) - key;
    if (limit <= 1) continue;
    const isEnd = neighbour === source || neighbour === target;
    const isWhole = !isEnd && node !== source && node !== target;
    const fee = (numbers[at + LEAST_BASE] ?? 0) + (numbers[at + LEAST_RATE] ?? 0) * units;
    const back = numbers[at + (isAhead ? BACK : FORTH)] ?? 0;
    if (limit <= weightWith(question, back, isWhole ? fee : 0)) continue;
    const out = words[ARC_WORDS * arc + EDGE] ?? NONE;
    const edge = isAhead ? out : out ^ 1;
    if (!isFree(graph, scratch, question, edge)) continue;
    if (!isEnd && !isUsable(scratch, question, neighbour)) continue;
    const distance = key + weightOf(graph, scratch, question, edge);
    // A fee that is not defined makes NaN, which is not smaller either.
    if (!(distance < known)) continue;
    reach(scratch, side, neighbour, distance, edge);
    if (distance + onward < best.weight) {
      best.weight = distance + onward;
      best.node = neighbour;
    }
  }
}

/** Of an edge that can carry the amount as far as doubles tell. */
function isFree(graph: Graph, scratch: Scratch, question: Question, edge: number): boolean {
  if (graph.words[WORDS * edge + FORBIDDEN] === scratch.round) return false;
  const capacity = graph.numbers[NUMBERS * edge + CAPACITY] ?? 0;
  return capacity > question.units || (graph.capacities[edge] ?? 0n) >= question.value;
}

function edgesThrough(graph: Graph, scratch: Scratch, question: Question, meeting: number) {
  const [ahead, back] = scratch.sides;
  const edges: number[] = [];
  for (let node = meeting; node !== question.source; ) {
    const edge = viaOf(scratch, ahead, node);
    edges.push(edge);
    node = sourceOf(graph, edge);
  }
  edges.reverse();
  for (let node = meeting; node !== question.target; ) {
    const edge = viaOf(scratch, back, node);
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
  const { request, uses } = scratch;
  if (graph.words[WORDS * edge + WEIGHED] !== request) {
    const back = graph.numbers[NUMBERS * (edge ^ 1) + CAPACITY] ?? 0;
    const fee = feeOf(graph, question, edge);
    graph.numbers[NUMBERS * edge + WEIGHT] = weightWith(question, back, fee);
    graph.words[WORDS * edge + WEIGHED] = request;
  }
  const weight = graph.numbers[NUMBERS * edge + WEIGHT] ?? 0;
  return uses.size === 0 ? weight : weight + question.diversityPenalty * usesOf(uses, edge);
}

function usesOf(uses: ReadonlyMap<number, number>, edge: number): number {
  return uses.get(slotOf(edge)) ?? 0;
}

/** Of the edge's sender, less all that an end of its imbalance can bring. */
function plainFee({ numbers }: Graph, { units }: Question, edge: number): number {
  const at = NUMBERS * edge;
  return (
    (numbers[at + BASE] ?? 0) + (numbers[at + RATE] ?? 0) * units - (numbers[at + PENALTY] ?? 0)
  );
}

/**
 * What both ends of an edge charge for this channel at the value itself: the sender unless it is the
 * initiator, the receiver unless it is the target. NaN where that is not defined.
 */
function feeOf(graph: Graph, question: Question, edge: number): number {
  const { units } = question;
  let fee = 0;
  if (sourceOf(graph, edge) !== question.source) {
    fee += plainFee(graph, question, edge) + penaltyAfter(graph, edge, -units);
  }
  if (targetOf(graph, edge) !== question.target) {
    fee += plainFee(graph, question, edge ^ 1) + penaltyAfter(graph, edge ^ 1, units);
  }
  return fee;
}

function penaltyAfter(graph: Graph, edge: number, change: number): number {
  const curve = graph.tariffs[edge]?.curve ?? null;
  if (curve === null) return 0;
  return roughPenalty(curve, (graph.numbers[NUMBERS * edge + CAPACITY] ?? 0) + change);
}

/** A fee below 0 counts as none. `back`: what can be sent the other way. */
function weightWith({ units, feePenalty }: Question, back: number, fee: number): number {
  const refund = back < REFUND_FACTOR * units ? 1 : 0;
  return 1 + (feePenalty * Math.max(fee, 0)) / FEE_UNIT + refund;
}
