/** The parts of a chart to show first: the active states, and the last transition. */
import type { TextLine } from '../../../inspector/charts/chart-text.ts';
import type { Drawing } from '../../../inspector/charts/layout.ts';
import type { Box } from './camera.ts';

/**
 * `active`: the box of the innermost active states; null: none is drawn. `moved`: the box of the last transition;
 * null: none.
 */
export type Focus = { active: Box | null; moved: Box | null };

/** `active`: ids of the active states and of those around them. `moved`: ids of edges. */
export function focusOf(
  { states, edges }: Drawing,
  active: ReadonlySet<string>,
  moved: ReadonlySet<string>,
): Focus {
  const ids = [...active];
  const innermost = states.filter(
    ({ id }) => active.has(id) && !ids.some((other) => isWithin(other, id)),
  );
  const isMoved = (line: { edges: readonly string[] }) => line.edges.some((id) => moved.has(id));
  const lines = states.flatMap(({ x, y, lines }) => lines.filter(isMoved).map(boxOf({ x, y })));
  const ways = edges.filter(isMoved).flatMap(({ points, label }) => {
    const ends = points.map(({ x, y }) => ({ x, y, width: 0, height: 0 }));
    return [...ends, label];
  });
  return { active: union(innermost), moved: union([...lines, ...ways]) };
}

function isWithin(id: string, outer: string): boolean {
  return id !== outer && (outer === '' || id.startsWith(`${outer}.`));
}

/** The usual width of a line: measuring each text again is not needed for this. */
const LINE_WIDTH = 160;

const boxOf =
  (corner: { x: number; y: number }) =>
  ({ y, height, runs }: TextLine): Box => {
    const left = Math.min(...runs.map((run) => run.x));
    return { x: corner.x + left, y: corner.y + y, width: LINE_WIDTH, height };
  };

function union(boxes: readonly Box[]): Box | null {
  if (boxes.length === 0) return null;
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}
