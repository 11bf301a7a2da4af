/** Which part of a drawing is seen: lengths of the screen in pixels, of the drawing in its own units. */

/** The drawing's point (`x`, `y`) stands at the left top corner of the screen, `scale` pixels to a unit. */
export type Camera = { x: number; y: number; scale: number };
export type Size = { width: number; height: number };

const SMALLEST = 0.15;
const LARGEST = 3;

/** The whole width, but never larger than drawn; what is lower than the screen stands in its middle. */
export function fitWidth(drawing: Size, screen: Size): Camera {
  const scale = within(screen.width / drawing.width, SMALLEST, 1);
  const spare = (length: number, room: number) => Math.max(0, (room / scale - length) / 2);
  return {
    scale,
    x: -spare(drawing.width, screen.width),
    y: -spare(drawing.height, screen.height),
  };
}

/** The whole drawing. */
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

/** The point under (`left`, `top`) of the screen stays where it is. */
export function zoomAt(camera: Camera, factor: number, left: number, top: number): Camera {
  const scale = within(camera.scale * factor, SMALLEST, LARGEST);
  return {
    scale,
    x: camera.x + left / camera.scale - left / scale,
    y: camera.y + top / camera.scale - top / scale,
  };
}

/** Moves what is seen by so many pixels of the screen; some of the drawing always stays in sight. */
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
