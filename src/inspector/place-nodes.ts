/**
 * Where the nodes of a network are drawn on its map: connected nodes attract and all nodes repel each other
 * (Fruchterman and Reingold). It uses only + - * / and square roots, which every machine computes alike.
 */

export type MapPoint = { readonly x: number; readonly y: number };
export type Edge = { readonly from: number; readonly to: number };

/** Pairs of nodes that are computed in all rounds together: this takes less than half a second. */
const PAIRS = 25_000_000;
const MOST_ROUNDS = 160;
const LEAST_ROUNDS = 12;
/** A pull to the middle, which keeps parts together that no channel connects. */
const GRAVITY = 0.06;

/** A place in the unit square for each of `count` nodes; `edges` are between their positions in the list. */
export function placeNodes(count: number, edges: readonly Edge[]): MapPoint[] {
  const degrees = new Float64Array(count);
  for (const { from, to } of edges) {
    degrees[from] = (degrees[from] ?? 0) + 1;
    degrees[to] = (degrees[to] ?? 0) + 1;
  }
  const { xs, ys } = spiral(count, degrees);
  const pairs = Math.max(1, (count * count) / 2);
  const rounds = Math.max(LEAST_ROUNDS, Math.min(MOST_ROUNDS, Math.floor(PAIRS / pairs)));
  for (let round = 0; round < rounds; round++) {
    const heat = 1 - round / rounds;
    moveAll({ xs, ys, edges, degrees, reach: 0.12 * heat * heat + 0.002 });
  }
  spread(xs, ys);
  return fitted(xs, ys);
}

/**
 * The places to begin with: nodes with many channels in the middle, the others around them. Each next node is
 * turned by the angle of the triangle with the sides 3, 4 and 5, which never returns to the first direction.
 */
function spiral(count: number, degrees: Float64Array): { xs: Float64Array; ys: Float64Array } {
  const order = Array.from({ length: count }, (_, at) => at).sort(
    (a, b) => (degrees[b] ?? 0) - (degrees[a] ?? 0) || a - b,
  );
  const [xs, ys] = [new Float64Array(count), new Float64Array(count)];
  let [x, y] = [1, 0];
  for (const [rank, node] of order.entries()) {
    const radius = 0.5 * Math.sqrt((rank + 0.5) / count);
    xs[node] = radius * x;
    ys[node] = radius * y;
    const length = Math.sqrt(x * x + y * y);
    [x, y] = [(3 * x - 4 * y) / 5 / length, (4 * x + 3 * y) / 5 / length];
  }
  return { xs, ys };
}

type Field = {
  xs: Float64Array;
  ys: Float64Array;
  edges: readonly Edge[];
  degrees: Float64Array;
  /** The furthest that a node moves in this round. */
  reach: number;
};

function moveAll({ xs, ys, edges, degrees, reach }: Field): void {
  const count = xs.length;
  const [dx, dy] = [new Float64Array(count), new Float64Array(count)];
  const spacing = 1 / Math.sqrt(count);
  repel(xs, ys, dx, dy, spacing * spacing);
  for (const { from, to } of edges) {
    const [x, y] = [(xs[to] ?? 0) - (xs[from] ?? 0), (ys[to] ?? 0) - (ys[from] ?? 0)];
    const distance = Math.sqrt(x * x + y * y);
    // A hub would otherwise draw all its neighbours onto one point.
    const weight = 2 / Math.sqrt((degrees[from] ?? 1) * (degrees[to] ?? 1)) + 0.15;
    const pull = (distance / spacing) * weight;
    dx[from] = (dx[from] ?? 0) + x * pull;
    dy[from] = (dy[from] ?? 0) + y * pull;
    dx[to] = (dx[to] ?? 0) - x * pull;
    dy[to] = (dy[to] ?? 0) - y * pull;
  }
  for (let at = 0; at < count; at++) {
    const [x, y] = [xs[at] ?? 0, ys[at] ?? 0];
    const [mx, my] = [(dx[at] ?? 0) - x * GRAVITY, (dy[at] ?? 0) - y * GRAVITY];
    const length = Math.sqrt(mx * mx + my * my);
    const step = length > reach ? reach / length : 1;
    xs[at] = x + mx * step;
    ys[at] = y + my * step;
  }
}

function repel(
  xs: Float64Array,
  ys: Float64Array,
  dx: Float64Array,
  dy: Float64Array,
  strength: number,
): void {
  for (let a = 0; a < xs.length; a++) {
    const [ax, ay] = [xs[a] ?? 0, ys[a] ?? 0];
    let [sx, sy] = [0, 0];
    for (let b = a + 1; b < xs.length; b++) {
      const x = ax - (xs[b] ?? 0);
      const y = ay - (ys[b] ?? 0);
      const push = strength / (x * x + y * y + 1e-9);
      sx += x * push;
      sy += y * push;
      dx[b] = (dx[b] ?? 0) - x * push;
      dy[b] = (dy[b] ?? 0) - y * push;
    }
    dx[a] = (dx[a] ?? 0) + sx;
    dy[a] = (dy[a] ?? 0) + sy;
  }
}

/**
 * Moves nodes near the middle outwards, by the square root of their distance: hubs attract their neighbours so much
 * that the middle of a large network would be one spot.
 */
function spread(xs: Float64Array, ys: Float64Array): void {
  let [middleX, middleY] = [0, 0];
  for (let at = 0; at < xs.length; at++) {
    middleX += (xs[at] ?? 0) / xs.length;
    middleY += (ys[at] ?? 0) / xs.length;
  }
  for (let at = 0; at < xs.length; at++) {
    const [x, y] = [(xs[at] ?? 0) - middleX, (ys[at] ?? 0) - middleY];
    const scale = Math.sqrt(Math.sqrt(x * x + y * y) + 1e-9);
    xs[at] = x / scale;
    ys[at] = y / scale;
  }
}

/** The places stretched to the unit square, each direction by itself. */
function fitted(xs: ArrayLike<number>, ys: ArrayLike<number>): MapPoint[] {
  const [fitX, fitY] = [fitOne(xs), fitOne(ys)];
  return Array.from({ length: xs.length }, (_, at) => ({
    x: fitX(xs[at] ?? 0),
    y: fitY(ys[at] ?? 0),
  }));
}

function fitOne(values: ArrayLike<number>): (value: number) => number {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < values.length; at++) {
    least = Math.min(least, values[at] ?? 0);
    most = Math.max(most, values[at] ?? 0);
  }
  return (value) => (most > least ? (value - least) / (most - least) : 0.5);
}
