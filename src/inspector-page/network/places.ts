/** Where the nodes are placed in the drawing, and how large they are drawn. */
import { type Edge, placeNodes } from '../../inspector/place-nodes.ts';

export type MapPlace = { x: number; y: number };
/** In pixels; `radius`: of a node; `gap`: the least distance between two nodes. */
export type Sheet = { width: number; height: number; radius: number; gap: number };

/** Up to this number of nodes a circle is clearer than a map of who is near whom. */
const MOST_ON_CIRCLE = 6;
/** Below this width figures of channels are left out of the drawing: they would lie on each other. */
export const NARROW = 560;

/** More nodes need the whole width of the page. */
export const isWide = (count: number) => count > MOST_ON_CIRCLE;

/** The drawing is as wide as its place, so that what is written in it is as large everywhere. */
export function sheetFor(count: number, width: number): Sheet {
  const isNarrow = width < NARROW;
  const radius = isNarrow ? 26 : isWide(count) ? 28 : 34;
  const gap = isNarrow ? 92 : 170;
  if (!isWide(count)) return { width, height: isNarrow ? 340 : 400, radius, gap };
  const height = Math.max(400, Math.round((count * gap * gap * 1.5) / width));
  return { width, height, radius, gap };
}

/** `edges`: between the positions of names in the list. The nodes keep away from the border. */
export function nodePlaces(
  names: readonly string[],
  edges: readonly Edge[],
  { width, height, radius, gap }: Sheet,
): Map<string, MapPlace> {
  if (!isWide(names.length)) return aroundCircle(names, { width, height, radius });
  const margin = 1.5 * radius;
  const [wide, high] = [width - 2 * margin, height - 2 * margin];
  const points = placeNodes(names.length, edges).map(({ x, y }) => ({ x: x * wide, y: y * high }));
  for (let round = 0; round < ROUNDS; round++) pushApart(points, { wide, high, gap });
  return new Map(
    names.map((name, index) => {
      const { x, y } = points[index] ?? { x: wide / 2, y: high / 2 };
      return [name, { x: margin + x, y: margin + y }];
    }),
  );
}

const ROUNDS = 60;

/**
 * Moves points apart that are too near to each other, each by half of the missing distance, and none out of the
 * sheet.
 */
function pushApart(
  points: MapPlace[],
  { wide, high, gap: least }: { wide: number; high: number; gap: number },
): void {
  for (const [at, one] of points.entries())
    for (const other of points.slice(at + 1)) {
      const [dx, dy] = [other.x - one.x, other.y - one.y];
      const gap = Math.hypot(dx, dy);
      if (gap >= least) continue;
      const push = (least - gap) / 2 / (gap || 1);
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
  { width, height, radius }: Pick<Sheet, 'width' | 'height' | 'radius'>,
) {
  const beside = width < NARROW ? 12 : 70;
  const [rx, ry] = [width / 2 - radius - beside, height / 2 - radius - 20];
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
