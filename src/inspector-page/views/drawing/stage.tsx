/** The visible part of a drawing, moved and zoomed with the pointer, the wheel, keys and buttons. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useMeasured } from '../../base/seen.ts';
import {
  type Box,
  type Camera,
  cameraOn,
  fitAll,
  fitWidth,
  isInSight,
  pan,
  type Size,
  zoomAt,
} from './camera.ts';

const STEP_PX = 60;
const ZOOM = 1.25;
/** A press that moves less than this is a click. */
const CLICK_PX = 4;

/** Lets the SVG take the keyboard focus. An SVG element only accepts the attribute's name in small letters. */
const KEYS = { tabindex: 0 };

/** `svgRef` gets the SVG element, from which a file can be saved. */
export function ChartStage({
  drawing,
  focus,
  label,
  svgRef,
  children,
}: {
  drawing: Size;
  /** The boxes to be shown, the most important first. */
  focus: readonly Box[];
  label: string;
  svgRef: { current: SVGSVGElement | null };
  children: ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [screen, setScreen] = useState<Size | null>(null);
  /** The camera after the reader moved it; null: the camera follows `focus`. */
  const [moved, setMoved] = useState<Camera | null>(null);
  useEffect(() => setMoved(null), [drawing]);
  // Before the first paint: a part that gets the focus must already be at its place.
  useMeasured(box, ({ clientWidth, clientHeight }) =>
    setScreen({ width: clientWidth, height: clientHeight }),
  );
  const size = screen ?? { width: drawing.width, height: drawing.height };
  const looked = useLook(drawing, size, focus);
  const camera = moved ?? looked;

  const zoom = (factor: number, left = size.width / 2, top = size.height / 2) =>
    setMoved((now) => zoomAt(now ?? camera, factor, left, top));
  const move = (right: number, down: number) =>
    setMoved((now) => pan(now ?? camera, right, down, drawing, size));
  const onWheel = useLatest((event: WheelEvent) => {
    event.preventDefault();
    const { left, top } = (box.current ?? document.body).getBoundingClientRect();
    const factor = Math.exp(-event.deltaY / 400);
    zoom(factor, event.clientX - left, event.clientY - top);
  });
  useEffect(() => {
    const { current } = box;
    const listen = (event: WheelEvent) => onWheel.current(event);
    // Not as a property of the element: with a passive listener the wheel would scroll the page as well.
    current?.addEventListener('wheel', listen, { passive: false });
    return () => current?.removeEventListener('wheel', listen);
  }, [onWheel]);
  const drag = useDrag(move);

  function onKeyDown(event: KeyboardEvent): void {
    const actions: Record<string, () => void> = {
      '+': () => zoom(ZOOM),
      '=': () => zoom(ZOOM),
      '-': () => zoom(1 / ZOOM),
      '0': () => setMoved(null),
      ArrowLeft: () => move(-STEP_PX, 0),
      ArrowRight: () => move(STEP_PX, 0),
      ArrowUp: () => move(0, -STEP_PX),
      ArrowDown: () => move(0, STEP_PX),
    };
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  /** Moves the picture so that the part with the keyboard focus is visible. */
  function onFocusIn({ target }: FocusEvent): void {
    if (!(target instanceof SVGElement) || target === svgRef.current) return;
    if (box.current === null) return;
    const part = target.getBoundingClientRect();
    const seen = box.current.getBoundingClientRect();
    const right = outOfSight([part.left, part.right], [seen.left, seen.right]);
    const down = outOfSight([part.top, part.bottom], [seen.top, seen.bottom]);
    if (right !== 0 || down !== 0) move(right, down);
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys and the pointer move the picture
    <div class="stage" data-pannable="" onKeyDown={onKeyDown} onFocusIn={onFocusIn}>
      <div ref={box} class="stage-view" {...drag}>
        <svg
          ref={svgRef}
          class="chart"
          aria-label={label}
          {...KEYS}
          viewBox={`${camera.x} ${camera.y} ${size.width / camera.scale} ${size.height / camera.scale}`}
        >
          {children}
        </svg>
      </div>
      <div class="stage-tools">
        <button type="button" aria-label="Zoom in" onClick={() => zoom(ZOOM)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => zoom(1 / ZOOM)}>
          −
        </button>
        <button type="button" onClick={() => setMoved(null)}>
          Where it is
        </button>
        <button type="button" onClick={() => setMoved(fitWidth(drawing, size))}>
          Fit width
        </button>
        <button type="button" onClick={() => setMoved(fitAll(drawing, size))}>
          Fit all
        </button>
      </div>
    </div>
  );
}

type Span = readonly [from: number, to: number];

/** How far the view must move to show the span; when not all of it fits, its beginning is shown. */
function outOfSight([from, to]: Span, [start, end]: Span): number {
  if (from < start) return from - start - STEP_PX;
  return to > end ? Math.min(to - end + STEP_PX, from - start) : 0;
}

/** A camera that follows the boxes, but does not move while all of them are in sight. */
function useLook(drawing: Size, screen: Size, focus: readonly Box[]): Camera {
  const last = useRef<{ drawing: Size; screen: Size; camera: Camera } | null>(null);
  const { current } = last;
  const isSame =
    current !== null &&
    current.drawing === drawing &&
    current.screen.width === screen.width &&
    current.screen.height === screen.height &&
    focus.every((box) => isInSight(current.camera, screen, box));
  const camera = isSame ? current.camera : cameraOn(drawing, screen, focus);
  last.current = { drawing, screen, camera };
  return camera;
}

function useLatest<Value>(value: Value): { current: Value } {
  const latest = useRef(value);
  latest.current = value;
  return latest;
}

/** Moves the picture with the pointer; a press without movement stays a click on the part under it. */
function useDrag(move: (right: number, down: number) => void) {
  const from = useRef<{ x: number; y: number; isDrag: boolean } | null>(null);
  return {
    onPointerDown(event: PointerEvent) {
      if (event.button === 0) from.current = { x: event.clientX, y: event.clientY, isDrag: false };
    },
    onPointerMove(event: PointerEvent & { currentTarget: HTMLElement }) {
      const { current } = from;
      if (current === null) return;
      const [right, down] = [current.x - event.clientX, current.y - event.clientY];
      if (!current.isDrag && Math.hypot(right, down) < CLICK_PX) return;
      if (!current.isDrag) event.currentTarget.setPointerCapture(event.pointerId);
      from.current = { x: event.clientX, y: event.clientY, isDrag: true };
      move(right, down);
    },
    onPointerUp() {
      from.current = null;
    },
    onPointerCancel() {
      from.current = null;
    },
  };
}
