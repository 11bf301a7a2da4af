/** Which part of a drawing is shown. Lengths of the screen in pixels, of the drawing in its own units. */

/** The drawing's point (`x`, `y`) is at the upper left corner of the screen; `scale` is pixels per unit. */
export type Camera = { x: number; y: number; scale: number };
export type Size = { width: number; height: number };
export type Box = { x: number; y: number } & Size;

const SMALLEST = 0.15;
const LARGEST = 3;

/** Shows the whole width, but never larger than drawn; a drawing lower than the screen is centred. */
export function fitWidth(drawing: Size, screen: Size): Camera {
  const scale = within(screen.width / drawing.width, SMALLEST, 1);
  const spare = (length: number, room: number) => Math.max(0, (room / scale - length) / 2);
  return {
    scale,
    x: -spare(drawing.width, screen.width),
    y: -spare(drawing.height, screen.height),
  };
}

/** Units of the drawing around the boxes that are looked at. */
const MARGIN = 24;
/** The smallest scale at which every word can be read: the smallest have 11 pixels then. */
const READABLE = 1;

/**
 * Shows the whole drawing if every word can be read then. Otherwise as much of it as can be read, with the middle of all boxes in the middle of the screen; when they do not all fit, the first box stays in sight.
 */
export function cameraOn(drawing: Size, screen: Size, [first, ...others]: readonly Box[]): Camera {
  const whole = fitAll(drawing, screen);
  if (whole.scale >= READABLE) return whole;
  if (first === undefined) return fitWidth(drawing, screen);
  const all = [first, ...others];
  const place = (axis: 'x' | 'y', side: 'width' | 'height') => {
    const [length, room] = [drawing[side], screen[side] / READABLE];
    if (length <= room) return (length - room) / 2;
    const from = Math.min(...all.map((box) => box[axis]));
    const to = Math.max(...all.map((box) => box[axis] + box[side]));
    const least = first[axis] + first[side] + MARGIN - room;
    const most = first[axis] - MARGIN;
    const middle = within((from + to - room) / 2, Math.min(least, most), Math.max(least, most));
    return within(middle, 0, length - room);
  };
  return { scale: READABLE, x: place('x', 'width'), y: place('y', 'height') };
}

/** Whether all of the box is on the screen. */
export function isInSight(camera: Camera, screen: Size, box: Box): boolean {
  const { x, y, scale } = camera;
  return (
    box.x >= x &&
    box.y >= y &&
    box.x + box.width <= x + screen.width / scale &&
    box.y + box.height <= y + screen.height / scale
  );
}

/** Shows the whole drawing. */
export function fitAll(drawing: Size, screen: Size): Camera {
  const scale = within(
    Math.min(screen.width / drawing.width, screen.height / drawing.height),
    SMALLEST,
    1,
  );
  return {
    scale,
    x: (drawing.width - screen.width / scale) / 2,
    y: (drawing.height - screen.height / scale) / 2,
  };
}

/** Zooms; the point under (`left`, `top`) of the screen stays where it is. */
export function zoomAt(camera: Camera, factor: number, left: number, top: number): Camera {
  const scale = within(camera.scale * factor, SMALLEST, LARGEST);
  return {
    scale,
    x: camera.x + left / camera.scale - left / scale,
    y: camera.y + top / camera.scale - top / scale,
  };
}

/** Moves the view by so many pixels of the screen; some of the drawing always stays in sight. */
export function pan(
  camera: Camera,
  right: number,
  down: number,
  drawing: Size,
  screen: Size,
): Camera {
  const { scale } = camera;
  const held = (at: number, length: number, room: number) =>
    within(at, -room / scale / 2, length - room / scale / 2);
  return {
    scale,
    x: held(camera.x + right / scale, drawing.width, screen.width),
    y: held(camera.y + down / scale, drawing.height, screen.height),
  };
}

function within(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}
