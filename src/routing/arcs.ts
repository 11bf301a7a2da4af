/**
 * Each node's outgoing edges in one row of memory, so that a search reads them one after the other. An arc is the
 * record of an edge in that row: what can be sent over the edge and back, what both ends charge for either direction,
 * and in two 32-bit words the edge and the node at its end. A row that is full is moved to a place of twice its size.
 */

/** Numbers of an arc. Eight make one line of the processor's cache. */
export const ARC_NUMBERS = 8;
/**
 * Places of numbers in an arc. They come in pairs: the first of a pair is for the edge, the second for the opposite
 * direction.
 */
export const SENDABLE = 0;
/** Both ends charge `base + rate * amount` up to the straight amount, and not less above it. */
export const ARC_RATE = 2;
export const STRAIGHT = 4;
/** A single number: it is the same in both directions. */
export const ARC_BASE = 6;
/** Places of 32-bit words in an arc, after the numbers. */
export const EDGE = 14;
export const END = 15;
export const ARC_WORDS = 2 * ARC_NUMBERS;

const FIRST_ROOM = 4;

export type Arcs = {
  numbers: Float64Array;
  words: Int32Array;
  /** The number of arc places in all rows, free ones included. */
  size: number;
  /** By node: the first arc, how many there are, and for how many there is room. */
  starts: Int32Array;
  degrees: Int32Array;
  rooms: Int32Array;
  /** By edge: its arc. */
  places: Int32Array;
  /** First arcs of rows that are free, by their room. */
  free: Map<number, number[]>;
};

export function createArcs(): Arcs {
  const numbers = new Float64Array(ARC_NUMBERS * FIRST_ROOM);
  return {
    numbers,
    words: new Int32Array(numbers.buffer),
    size: 0,
    starts: new Int32Array(FIRST_ROOM),
    degrees: new Int32Array(FIRST_ROOM),
    rooms: new Int32Array(FIRST_ROOM),
    places: new Int32Array(FIRST_ROOM),
    free: new Map(),
  };
}

export function addArc(arcs: Arcs, node: number, edge: number, end: number): void {
  arcs.starts = longer(arcs.starts, node);
  arcs.degrees = longer(arcs.degrees, node);
  arcs.rooms = longer(arcs.rooms, node);
  arcs.places = longer(arcs.places, edge);
  const degree = arcs.degrees[node] ?? 0;
  if (degree === (arcs.rooms[node] ?? 0)) moveRow(arcs, node, Math.max(FIRST_ROOM, 2 * degree));
  const arc = (arcs.starts[node] ?? 0) + degree;
  arcs.degrees[node] = degree + 1;
  arcs.numbers.fill(0, ARC_NUMBERS * arc, ARC_NUMBERS * (arc + 1));
  arcs.words[ARC_WORDS * arc + EDGE] = edge;
  arcs.words[ARC_WORDS * arc + END] = end;
  arcs.places[edge] = arc;
}

/** Removes the arc of an edge, and returns how many arcs the node has left. */
export function removeArc(arcs: Arcs, node: number, edge: number): number {
  const left = (arcs.degrees[node] ?? 0) - 1;
  const last = (arcs.starts[node] ?? 0) + left;
  copyArc(arcs, last, arcs.places[edge] ?? 0);
  arcs.degrees[node] = left;
  if (left === 0) {
    giveBack(arcs, node);
    arcs.rooms[node] = 0;
  }
  return left;
}

/** A pair for the edge itself and for the other direction. */
export type NodePair = readonly [forth: number, back: number];

/** `forth` and `back` as seen from the edge; they swap for the arc of its other direction. */
export function setArc(
  arcs: Arcs,
  edge: number,
  {
    sendable,
    rate,
    straight,
    base,
  }: { sendable: NodePair; rate: NodePair; straight: NodePair; base: number },
): void {
  const at = ARC_NUMBERS * (arcs.places[edge] ?? 0);
  const { numbers } = arcs;
  numbers[at + ARC_BASE] = base;
  for (const route of [0, 1] as const) {
    numbers[at + SENDABLE + route] = sendable[route];
    numbers[at + ARC_RATE + route] = rate[route];
    numbers[at + STRAIGHT + route] = straight[route];
  }
}

function moveRow(arcs: Arcs, node: number, room: number): void {
  const from = arcs.starts[node] ?? 0;
  const to = arcs.free.get(room)?.pop() ?? extend(arcs, room);
  for (let at = 0; at < (arcs.degrees[node] ?? 0); at++) copyArc(arcs, from + at, to + at);
  giveBack(arcs, node);
  arcs.starts[node] = to;
  arcs.rooms[node] = room;
}

function giveBack(arcs: Arcs, node: number): void {
  const room = arcs.rooms[node] ?? 0;
  if (room === 0) return;
  const rows = arcs.free.get(room) ?? [];
  arcs.free.set(room, rows);
  rows.push(arcs.starts[node] ?? 0);
}

function extend(arcs: Arcs, room: number): number {
  const start = arcs.size;
  arcs.size += room;
  if (ARC_NUMBERS * arcs.size > arcs.numbers.length) {
    const numbers = new Float64Array(2 * ARC_NUMBERS * arcs.size);
    numbers.set(arcs.numbers);
    arcs.numbers = numbers;
    arcs.words = new Int32Array(numbers.buffer);
  }
  return start;
}

function copyArc(arcs: Arcs, from: number, to: number): void {
  if (from === to) return;
  arcs.numbers.copyWithin(ARC_NUMBERS * to, ARC_NUMBERS * from, ARC_NUMBERS * (from + 1));
  arcs.places[arcs.words[ARC_WORDS * to + EDGE] ?? 0] = to;
}

/** The array, or a longer copy, with a place for the index. */
function longer(array: Int32Array, index: number): Int32Array {
  if (index < array.length) return array;
  const grown = new Int32Array(2 * index + 2);
  grown.set(array);
  return grown;
}
