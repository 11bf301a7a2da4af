/** The actors as a map of cells. One canvas covers the visible part; headings and the marked cell are also text. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { machineName, regionsOf } from '../../base/names.ts';
import { pageHash } from '../../base/router.ts';
import { onNewColours, useMeasured } from '../../base/seen.ts';
import { CellCard, cellText } from './card.tsx';
import { type Colours, drawActors } from './draw.ts';
import type { ActorGroup, Limits } from './groups.ts';
import { urgencyOf } from './groups.ts';
import {
  type ActorsLayout,
  boxOf,
  cellAfter,
  cellAt,
  layoutOf,
  numberOf,
  rowAt,
} from './layout.ts';

type MapProps = {
  groups: readonly ActorGroup[];
  nowBlock: bigint;
  limits: Limits;
  /** Changes whenever a row has changed. */
  version: number;
};
/** The actor that is marked, by the pointer or the keyboard. */
type Mark = { actor: string; isByKey: boolean };

export function ActorsMap({ groups, nowBlock, limits, version }: MapProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(1_200);
  useMeasured(scroller, ({ clientWidth }) => setWidth(clientWidth));
  const [mark, setMark] = useState<Mark | null>(null);
  const layout = useMemo(() => layoutOf(groups, width), [groups, width]);
  const number = mark === null ? null : numberOf(layout, mark.actor);
  const row = number === null ? null : rowAt(layout, number);
  const box = number === null ? null : boxOf(layout, number);

  const draw = useRef(() => {});
  draw.current = () => paint({ scroller, canvas, layout, nowBlock, limits });
  useEffect(() => draw.current(), [layout, nowBlock, limits, version]);
  useRedraw(scroller, draw);

  function markAt(event: MouseEvent): void {
    const found =
      scroller.current === null ? null : cellAt(layout, pointOf(event, scroller.current));
    const actor = found === null ? undefined : rowAt(layout, found)?.actor;
    if (actor !== mark?.actor) setMark(actor === undefined ? null : { actor, isByKey: false });
  }

  function open(): void {
    if (mark !== null) location.hash = pageHash({ view: 'chart', actor: mark.actor });
  }

  function onKeyDown(event: KeyboardEvent): void {
    const next = cellAfter(layout, number ?? -1, event.key);
    const found = next === null ? null : rowAt(layout, next);
    if (next === null || found === null) return;
    event.preventDefault();
    setMark({ actor: found.actor, isByKey: true });
    reveal(scroller.current, layout, next);
  }

  return (
    <div class="actors-map" ref={scroller}>
      <div class="actors-paper">
        <canvas ref={canvas} />
      </div>
      <button
        type="button"
        class="actors-cells"
        aria-label={`Map of ${layout.count} actors. Arrow keys go from cell to cell, Enter opens one.`}
        aria-describedby="actors-mark"
        style={{ height: `${layout.height}px` }}
        onMouseMove={markAt}
        onMouseLeave={() => setMark(null)}
        onClick={open}
        onKeyDown={onKeyDown}
      />
      {layout.sections.map(({ group, top }) => (
        <Heading key={group.key} group={group} top={top} nowBlock={nowBlock} limits={limits} />
      ))}
      {box !== null && (
        <div
          class="actors-ring"
          style={{
            left: `${box.x - 2}px`,
            top: `${box.y - 2}px`,
            width: `${layout.cell.width + 4}px`,
            height: `${layout.cell.height + 4}px`,
          }}
        />
      )}
      {row !== null && box !== null && (
        <CellCard
          row={row}
          nowBlock={nowBlock}
          x={box.x}
          y={box.y + layout.cell.height + 8}
          width={width}
        />
      )}
      <p id="actors-mark" class="unseen" aria-live="polite">
        {row !== null && mark?.isByKey ? cellText(row, nowBlock) : ''}
      </p>
    </div>
  );
}

type HeadingProps = { group: ActorGroup; top: number; nowBlock: bigint; limits: Limits };

function Heading({ group, top, nowBlock, limits }: HeadingProps) {
  const dangerous = group.rows.filter(
    (row) => urgencyOf(row, nowBlock, limits) === 'danger',
  ).length;
  return (
    <h2 class="actors-heading" style={{ top: `${top}px` }}>
      {machineName(group.machine)}
      <code>{regionsOf(group.state).join(' + ')}</code>
      <span class="count">{group.rows.length.toLocaleString('en')}</span>
      {dangerous > 0 && <em>{dangerous.toLocaleString('en')} in danger</em>}
    </h2>
  );
}

type Ref<T> = { current: T | null };

/** Draws again after scrolling, resizing, or a change of colours. */
function useRedraw(scroller: Ref<HTMLElement>, draw: { current: () => void }): void {
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    let frame = 0;
    const soon = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => draw.current());
    };
    const sizes = new ResizeObserver(soon);
    current.addEventListener('scroll', soon, { passive: true });
    const endColours = onNewColours(soon);
    sizes.observe(current);
    return () => {
      cancelAnimationFrame(frame);
      current.removeEventListener('scroll', soon);
      endColours();
      sizes.disconnect();
    };
  }, [scroller, draw]);
}

type Painting = {
  scroller: Ref<HTMLElement>;
  canvas: Ref<HTMLCanvasElement>;
  layout: ActorsLayout;
  nowBlock: bigint;
  limits: Limits;
};

function paint({ scroller, canvas, ...drawing }: Painting): void {
  const context = canvas.current?.getContext('2d');
  if (context == null || scroller.current === null) return;
  const { clientWidth: width, clientHeight: height, scrollTop: top } = scroller.current;
  const scale = devicePixelRatio;
  const { canvas: element } = context;
  const pixels = { width: Math.round(width * scale), height: Math.round(height * scale) };
  // Setting a size clears and allocates the canvas again, even when the size is the same.
  if (element.width !== pixels.width || element.height !== pixels.height)
    Object.assign(element, pixels);
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  drawActors(context, { ...drawing, top, height, colours: coloursOf(element) });
}

/** Colours as the browser resolved them: the value of a CSS variable is still a choice between light and dark. */
function coloursOf(canvas: HTMLElement): Colours {
  const page = getComputedStyle(canvas);
  const colour = (urgency: string) => {
    const sample = document.querySelector(`.actors-legend [data-urgency="${urgency}"] .mark`);
    return sample === null ? page.color : getComputedStyle(sample).color;
  };
  return {
    danger: colour('danger'),
    soon: colour('soon'),
    far: colour('far'),
    none: colour('none'),
    ended: colour('ended'),
    text: page.color,
    quiet: colour('ended'),
    line: page.outlineColor,
    tile: page.textDecorationColor,
  };
}

function pointOf(event: MouseEvent, scroller: HTMLElement) {
  const { left, top } = scroller.getBoundingClientRect();
  return { x: event.clientX - left, y: event.clientY - top + scroller.scrollTop };
}

function reveal(scroller: HTMLElement | null, layout: ActorsLayout, number: number): void {
  const box = boxOf(layout, number);
  if (scroller === null || box === null) return;
  const { scrollTop, clientHeight } = scroller;
  const room = 48;
  if (box.y - room < scrollTop) scroller.scrollTop = box.y - room;
  const bottom = box.y + layout.cell.height + room;
  if (bottom > scrollTop + clientHeight) scroller.scrollTop = bottom - clientHeight;
}
