/** A line that a reader draws from one node to another, with the pointer or with two presses of a key. */
import { useState } from 'preact/hooks';
import type { MapPlace } from './places.ts';

/** `at`: where the pointer is now, in pixels of the sheet; null: it was begun with a key. */
type Line = { from: string; at: MapPlace | null };
export type Ends = { from: string; to: string };

export function useDrawnLine(onDrawn: ((ends: Ends) => void) | undefined) {
  const [line, setLine] = useState<Line | null>(null);
  if (onDrawn === undefined) return { line: null, sheet: {}, node: () => ({}) };
  const endAt = (to: string) => {
    if (line !== null && line.from !== to) onDrawn({ from: line.from, to });
  };
  return {
    line,
    sheet: {
      onPointerMove(event: PointerEvent & { currentTarget: SVGSVGElement }) {
        const at = pointIn(event.currentTarget, event);
        if (at !== null) setLine((now) => (now === null || now.at === null ? now : { ...now, at }));
      },
      onPointerUp: () => setLine(null),
      onPointerLeave: () => setLine((now) => (now?.at === null ? now : null)),
    },
    node: (name: string) => ({
      role: 'button',
      // In an SVG the attribute has to be written as it is.
      tabindex: 0,
      'aria-label': labelOf(name, line),
      'aria-pressed': line?.from === name,
      onPointerDown(event: PointerEvent & { currentTarget: SVGGElement }) {
        const { ownerSVGElement: sheet } = event.currentTarget;
        const at = sheet && pointIn(sheet, event);
        if (at !== null) setLine({ from: name, at });
        event.preventDefault();
      },
      onPointerUp: () => endAt(name),
      onKeyDown(event: KeyboardEvent) {
        if (event.key === 'Escape') setLine(null);
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        endAt(name);
        setLine(line === null ? { from: name, at: null } : null);
      },
    }),
  };
}

function labelOf(name: string, line: Line | null): string {
  if (line === null || line.from === name) return `Draw a line from ${name}`;
  return `Draw the line from ${line.from} to ${name}`;
}

function pointIn(sheet: SVGSVGElement, { clientX, clientY }: PointerEvent): MapPlace | null {
  const place = sheet.getScreenCTM();
  if (place === null) return null;
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(place.inverse());
  return { x, y };
}
