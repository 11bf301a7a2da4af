/** Where the nodes stand in the drawing: around a circle, the first at the top left. */
export type Point = { x: number; y: number };

/** `width`, `height`: of the drawing; the nodes keep away from its border. */
export function placesOf(
  names: readonly string[],
  { width, height }: { width: number; height: number },
): Map<string, Point> {
  const [rx, ry] = [width / 2 - 110, height / 2 - 60];
  const first = names.length === 2 ? Math.PI : (-3 * Math.PI) / 4;
  return new Map(
    names.map((name, index) => {
      const angle = first + (index * 2 * Math.PI) / Math.max(1, names.length);
      return [name, { x: width / 2 + rx * Math.cos(angle), y: height / 2 + ry * Math.sin(angle) }];
    }),
  );
}

/** The point at `share` (0 to 1) of the way. */
export function between(from: Point, to: Point, share: number): Point {
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
