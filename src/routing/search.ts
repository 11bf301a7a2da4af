/**
 * The cheapest route between two nodes: Dijkstra's algorithm from both ends at once, with weights that are computed
 * only for edges that the search looks at. Amounts are compared as doubles, and exactly where the doubles are equal:
 * rounding keeps the order, so no edge is left out that can carry the amount.
 */
import {
  ARC_BASE,
  ARC_NUMBERS,
  ARC_RATE,
  ARC_WORDS,
  EDGE,
  END,
  SENDABLE,
  STRAIGHT,
} from './arcs.ts';
import {
  type ChannelGraph,
  EDGE_WORDS,
  FORBIDDEN,
  NONE,
  slotOf,
  sourceOf,
  targetOf,
  WEIGHED,
} from './graph.ts';
import { createHeap, type Heap, pop, push, smallest } from './heap.ts';
import { LEAST_WEIGHT, type WeightQuestion, weightIn, weightWith } from './weights.ts';

/** `edges` from the source to the target. */
export type WeighedRoute = { weight: number; edges: number[] };

/**
 * What the search from one end knows of a node: a number for the distance, a word for the edge by which the node is
 * reached, and a word for the mark. The searches from both ends share one record per node.
 */
type Side = { offset: number; heap: Heap };
const NODE_NUMBERS = 4;
const NODE_WORDS = 8;
/**
 * Places in that record for the search from the source; those for the search from the target are half a record later.
 */
const DISTANCE = 0;
const VIA = 2;
const SEEN = 3;

/** Memory that searches use again. A value in it counts only if it has the mark of this round or request. */
export type Scratch = {
  /** Number of the search. */
  round: number;
  /** Number of the request; all searches for one question belong to it. */
  request: number;
  sides: readonly [Side, Side];
  /** By node. */
  numbers: Float64Array;
  words: Int32Array;
  /** By node: the last request that asked whether the node can be used; negative: it cannot. */
  asked: Int32Array;
  /** By node: the last request in which an earlier route goes through the node. */
  used: Int32Array;
  /** Whether this search has forbidden edges. */
  forbids: boolean;
  /** By channel: how often earlier routes of this request use it. */
  uses: Map<number, number>;
};

/** Marks are 32-bit numbers: before they run out, all of them are cleared. */
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
    used: new Int32Array(0),
    forbids: false,
    uses: new Map(),
  };
}

/** To be called before the first search of a request. */
export function beginRequest(graph: ChannelGraph, scratch: Scratch): void {
  const nodes = graph.arcs.starts.length;
  const isWorn = Math.max(scratch.round, scratch.request) > LAST_MARK;
  if (scratch.asked.length !== nodes || isWorn) {
    scratch.numbers = new Float64Array(NODE_NUMBERS * nodes);
    scratch.words = new Int32Array(scratch.numbers.buffer);
    scratch.asked = new Int32Array(nodes);
    scratch.used = new Int32Array(nodes);
  }
  if (isWorn) {
    forgetMarks(graph);
    scratch.round = 0;
    scratch.request = 0;
  }
  scratch.request += 1;
  scratch.uses.clear();
}

function forgetMarks({ words }: ChannelGraph): void {
  for (let edge = 0; EDGE_WORDS * edge < words.length; edge++) {
    words[EDGE_WORDS * edge + WEIGHED] = 0;
    words[EDGE_WORDS * edge + FORBIDDEN] = 0;
  }
}

/** The cheapest route that uses none of the forbidden edges, or null. */
export function cheapestRoute(
  graph: ChannelGraph,
  scratch: Scratch,
  question: WeightQuestion,
  forbidden: readonly number[],
): WeighedRoute | null {
  scratch.round += 1;
  scratch.forbids = forbidden.length > 0;
  for (const edge of forbidden) graph.words[EDGE_WORDS * edge + FORBIDDEN] = scratch.round;
  const [ahead, back] = scratch.sides;
  begin(scratch, ahead, question.source);
  begin(scratch, back, question.target);
  const best: Meeting = { weight: Number.POSITIVE_INFINITY, node: NONE };
  while (ahead.heap.size > 0 && back.heap.size > 0) {
    if (smallest(ahead.heap) + smallest(back.heap) + LEAST_WEIGHT >= best.weight) break;
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

/** A node whose distance is final. `direction`: 0 along edges, from the source; 1 against edges, from the target. */
type Step = { node: number; direction: 0 | 1; isAtEnd: boolean };

/** Settles the nearest node of one side. */
function expand(
  graph: ChannelGraph,
  scratch: Scratch,
  question: WeightQuestion,
  isAhead: boolean,
  best: Meeting,
): void {
  const side = scratch.sides[isAhead ? 0 : 1];
  const other = scratch.sides[isAhead ? 1 : 0];
  const key = smallest(side.heap);
  const node = pop(side.heap);
  // A shorter route to it was found after this entry.
  if (key > distanceTo(scratch, side, node)) return;
  // A node that the other side has not reached is at least one edge farther than the nearest node that is still open
  // there.
  const beyond = smallest(other.heap) + LEAST_WEIGHT;
  const isAtEnd = node === question.source || node === question.target;
  const step: Step = { node, direction: isAhead ? 0 : 1, isAtEnd };
  const { starts, degrees, numbers, words } = graph.arcs;
  const first = starts[node] ?? 0;
  const last = first + (degrees[node] ?? 0);
  for (let arc = first; arc < last; arc++) {
    if ((numbers[ARC_NUMBERS * arc + step.direction + SENDABLE] ?? 0) < question.units) continue;
    const neighbour = words[ARC_WORDS * arc + END] ?? NONE;
    const known = distanceTo(scratch, side, neighbour);
    const onward = distanceTo(scratch, other, neighbour);
    // No route through this neighbour is cheaper than those known, whatever the fee is.
    const limit = Math.min(known, best.weight - Math.min(onward, beyond)) - key;
    if (limit <= LEAST_WEIGHT) continue;
    const distance = key + weightAlong(graph, scratch, question, step, arc, limit);
    // A fee that is not defined gives NaN, and a comparison with NaN is false.
    if (!(distance < known)) continue;
    reach(
      scratch,
      side,
      neighbour,
      distance,
      (words[ARC_WORDS * arc + EDGE] ?? NONE) ^ step.direction,
    );
    if (distance + onward < best.weight) {
      best.weight = distance + onward;
      best.node = neighbour;
    }
  }
}

/** Infinity for an arc that cannot be used, or that weighs no less than the limit. */
function weightAlong(
  graph: ChannelGraph,
  scratch: Scratch,
  question: WeightQuestion,
  { node, direction, isAtEnd }: Step,
  arc: number,
  limit: number,
): number {
  const { source, target, units } = question;
  const { numbers, words } = graph.arcs;
  const start = ARC_NUMBERS * arc;
  const neighbour = words[ARC_WORDS * arc + END] ?? NONE;
  const isEnd = neighbour === source || neighbour === target;
  // The ends of a route charge nothing, but the sums in the arc include what they would charge.
  const isWhole = !isEnd && !isAtEnd;
  const rate = numbers[start + direction + ARC_RATE] ?? 0;
  const fee = isWhole ? (numbers[start + ARC_BASE] ?? 0) + rate * units : 0;
  const least = weightWith(question, numbers[start + 1 - direction + SENDABLE] ?? 0, fee);
  if (limit <= least) return Number.POSITIVE_INFINITY;
  const edge = (words[ARC_WORDS * arc + EDGE] ?? NONE) ^ direction;
  const sendable = numbers[start + direction + SENDABLE] ?? 0;
  const isOpen =
    isFree(graph, scratch, question, edge, sendable) &&
    (isEnd || isUsable(scratch, question, neighbour));
  if (!isOpen) return Number.POSITIVE_INFINITY;
  const isExact = isWhole && units <= (numbers[start + direction + STRAIGHT] ?? 0);
  const weight = isExact ? least : weightIn(graph, scratch.request, question, edge);
  return weight + repetition(scratch, question, node, edge);
}

/** Whether an edge is not forbidden and can carry the amount exactly: as a double, its capacity suffices. */
function isFree(
  { words, capacities }: ChannelGraph,
  { forbids, round }: Scratch,
  { units, value }: WeightQuestion,
  edge: number,
  sendable: number,
): boolean {
  if (forbids && words[EDGE_WORDS * edge + FORBIDDEN] === round) return false;
  return sendable > units || (capacities[edge] ?? 0n) >= value;
}

/** What an edge costs more because routes of this request use its channel already. */
function repetition(
  { used, request, uses }: Scratch,
  { diversityPenalty }: WeightQuestion,
  node: number,
  edge: number,
): number {
  if (used[node] !== request) return 0;
  return diversityPenalty * (uses.get(slotOf(edge)) ?? 0);
}

/** To be called for each route that is found; searches after it avoid its channels. */
export function noteUse(graph: ChannelGraph, scratch: Scratch, edges: readonly number[]): void {
  const { used, request, uses } = scratch;
  for (const edge of edges) {
    used[sourceOf(graph, edge)] = request;
    used[targetOf(graph, edge)] = request;
    uses.set(slotOf(edge), (uses.get(slotOf(edge)) ?? 0) + 1);
  }
}

function edgesThrough(
  graph: ChannelGraph,
  scratch: Scratch,
  question: WeightQuestion,
  meeting: number,
) {
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

function isUsable(scratch: Scratch, question: WeightQuestion, node: number): boolean {
  const { asked, request } = scratch;
  if (asked[node] === request) return true;
  if (asked[node] === -request) return false;
  const isGood = node !== question.source && node !== question.target && question.isUsable(node);
  asked[node] = isGood ? request : -request;
  return isGood;
}
