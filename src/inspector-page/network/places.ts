/** Where the nodes are placed in the drawing, and how large they are drawn. */
import { type Edge, placeNodes } from '../../inspector/place-nodes.ts';

export type MapPlace = { x: number; y: number };
/** In units of the drawing; `radius`: of a node. */
export type Sheet = { width: number; height: number; radius: number; isWide: boolean };

/** Up to this number of nodes a circle is clearer than a map of who is near whom. */
const MOST_ON_CIRCLE = 6;

/** More nodes need more room, and are drawn smaller. */
export function sheetFor(count: number): Sheet {
  if (count <= MOST_ON_CIRCLE) return { width: 720, height: 400, radius: 34, isWide: false };
  const side = Math.sqrt(count);
  const [width, height] = [Math.round(380 * side), Math.round(210 * side)];
  return { width, height, radius: 28, isWide: true };
}

/** `edges`: between the positions of names in the list. The nodes keep away from the border. */
export function nodePlaces(
  names: readonly string[],
  edges: readonly Edge[],
  { width, height, radius }: Sheet,
): Map<string, MapPlace> {
  if (names.length <= MOST_ON_CIRCLE) return aroundCircle(names, { width, height });
  const margin = 2 * radius;
  const [wide, high] = [width - 2 * margin, height - 2 * margin];
  const points = placeNodes(names.length, edges).map(({ x, y }) => ({ x: x * wide, y: y * high }));
  for (let round = 0; round < ROUNDS; round++) pushApart(points, { wide, high });
  return new Map(
    names.map((name, index) => {
      const { x, y } = points[index] ?? { x: wide / 2, y: high / 2 };
      return [name, { x: margin + x, y: margin + y }];
    }),
  );
}

/** The least distance between two nodes, with room for the figures of their channel. */
const LEAST_GAP = 170;
const ROUNDS = 60;

/**
 * Moves points apart that are too near to each other, each by half of the missing distance, and none out of the
 * sheet.
 */
function pushApart(points: MapPlace[], { wide, high }: { wide: number; high: number }): void {
  for (const [at, one] of points.entries())
    for (const other of points.slice(at + 1)) {
      const [dx, dy] = [other.x - one.x, other.y - one.y];
      const gap = Math.hypot(dx, dy);
      if (gap >= LEAST_GAP) continue;
      const push = (LEAST_GAP - gap) / 2 / (gap || 1);
      one.x = within(one.x - (dx || 1) * push, wide);
      one.y = within(one.y - dy * push, high);
      other.x = within(other.x + (dx || 1) * push, wide);
      other.y = within(other.y + dy * push, high);
    }
}

const within = (value: number, most: number) => Math.min(most, Math.max(0, value));

/** Places on an ellipse, beginning at the top left. */
function aroundCircle(
  names: readonly string[],
  { width, height }: Pick<Sheet, 'width' | 'height'>,
) {
  const [rx, ry] = [width / 2 - 110, height / 2 - 60];
  const first = names.length === 2 ? Math.PI : (-3 * Math.PI) / 4;
  return new Map(
    names.map((name, index): [string, MapPlace] => {
      const angle = first + (index * 2 * Math.PI) / Math.max(1, names.length);
      return [name, { x: width / 2 + rx * Math.cos(angle), y: height / 2 + ry * Math.sin(angle) }];
    }),
  );
}

/** The point at `share` (0 to 1) of the way, moved `aside` to the right of it. */
export function between(from: MapPlace, to: MapPlace, share: number, aside = 0): MapPlace {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  return {
    x: from.x + dx * share - (dy / length) * aside,
    y: from.y + dy * share + (dx / length) * aside,
  };
}
