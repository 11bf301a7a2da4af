/** Draws the visible cells of the map of actors. Each urgency has a colour and a shape of its own. */
import type { ListedActor } from '../../../inspector/wire.ts';
import { regionsOf, rowName } from '../../base/names.ts';
import type { ActorUrgency, Limits } from './groups.ts';
import { urgencyOf } from './groups.ts';
import { type ActorsLayout, boxOf, type CellCorner, type CellSize } from './layout.ts';

export type Colours = Record<ActorUrgency, string> & {
  text: string;
  quiet: string;
  line: string;
  tile: string;
};
export type MapDrawing = {
  layout: ActorsLayout;
  /** The visible part, in pixels of the layout. */
  top: number;
  height: number;
  nowBlock: bigint;
  limits: Limits;
  colours: Colours;
};

export function drawActors(canvas: CanvasRenderingContext2D, drawing: MapDrawing): void {
  const { layout, top, height, nowBlock, limits } = drawing;
  const { cell, columns } = layout;
  const pitch = cell.height + cell.gap;
  for (const { group, cellsTop, first } of layout.sections) {
    const from = Math.max(0, Math.floor((top - cellsTop) / pitch)) * columns;
    const to = Math.min(
      group.rows.length,
      (Math.floor((top + height - cellsTop) / pitch) + 1) * columns,
    );
    for (let index = from; index < to; index++) {
      const row = group.rows[index];
      const box = boxOf(layout, first + index);
      if (row === undefined || box === null) continue;
      const seen = { x: box.x, y: box.y - top };
      drawCell(canvas, {
        row,
        urgency: urgencyOf(row, nowBlock, limits),
        box: seen,
        cell,
        drawing,
      });
    }
  }
}

type Cell = {
  row: ListedActor;
  urgency: ActorUrgency;
  box: CellCorner;
  cell: CellSize;
  drawing: MapDrawing;
};

function drawCell(canvas: CanvasRenderingContext2D, cell: Cell): void {
  const { box, urgency, drawing } = cell;
  const { width, height } = cell.cell;
  if (width > height) drawTile(canvas, cell);
  const size = width > height ? 14 : width;
  const at = width > height ? { x: box.x + 12, y: box.y + (height - size) / 2 } : box;
  drawShape(canvas, { ...at, size, urgency, colour: drawing.colours[urgency] });
}

/** Draws a cell that is large enough for words. */
function drawTile(canvas: CanvasRenderingContext2D, { row, box, cell, drawing }: Cell): void {
  const { colours, nowBlock } = drawing;
  canvas.fillStyle = colours.tile;
  canvas.strokeStyle = colours.line;
  canvas.lineWidth = 1;
  canvas.beginPath();
  canvas.roundRect(box.x + 0.5, box.y + 0.5, cell.width - 1, cell.height - 1, 6);
  canvas.fill();
  canvas.stroke();
  const { kind, name, detail } = rowName(row);
  const room = cell.width - 46;
  const due = row.deadlineBlock === null && !row.isEnded ? '' : leftText(row, nowBlock);
  canvas.fillStyle = colours.text;
  canvas.font = '600 13px system-ui, sans-serif';
  canvas.fillText(cut(canvas, headOf(kind, name, due), room), box.x + 36, box.y + 20);
  canvas.fillStyle = colours.quiet;
  canvas.font = '12px system-ui, sans-serif';
  canvas.fillText(
    cut(canvas, detail === '' ? regionsOf(row.state).join(' + ') : detail, room),
    box.x + 36,
    box.y + 37,
  );
}

function headOf(kind: string, name: string, due: string): string {
  return [`${kind} ${name}`.trim(), due].filter((part) => part !== '').join(' · ');
}

/** The text, cut to the room with `…` at its end. */
function cut(canvas: CanvasRenderingContext2D, text: string, room: number): string {
  if (canvas.measureText(text).width <= room) return text;
  let kept = text;
  while (kept !== '' && canvas.measureText(`${kept}…`).width > room) kept = kept.slice(0, -1);
  return `${kept}…`;
}

/** How many blocks are left until the deadline, in a few words. */
export function leftText({ deadlineBlock, isEnded }: ListedActor, nowBlock: bigint): string {
  if (isEnded) return 'ended';
  if (deadlineBlock === null) return 'no deadline';
  const left = deadlineBlock - nowBlock;
  return left < 0n ? `${-left} blocks late` : `${left} blocks left`;
}

type Shape = CellCorner & { size: number; urgency: ActorUrgency; colour: string };

function drawShape(canvas: CanvasRenderingContext2D, shape: Shape): void {
  const { x, y, size, urgency, colour } = shape;
  const middle = { x: x + size / 2, y: y + size / 2 };
  canvas.fillStyle = colour;
  canvas.strokeStyle = colour;
  canvas.lineWidth = Math.max(1.5, size / 10);
  canvas.beginPath();
  if (urgency === 'danger') canvas.rect(x, y, size, size);
  if (urgency === 'soon') {
    canvas.moveTo(middle.x, y);
    canvas.lineTo(x + size, y + size);
    canvas.lineTo(x, y + size);
  }
  if (urgency === 'far') canvas.arc(middle.x, middle.y, size * 0.42, 0, 2 * Math.PI);
  if (urgency === 'none') canvas.arc(middle.x, middle.y, size * 0.34, 0, 2 * Math.PI);
  if (urgency === 'ended') {
    const arm = size * 0.25;
    canvas.moveTo(middle.x - arm, middle.y - arm);
    canvas.lineTo(middle.x + arm, middle.y + arm);
    canvas.moveTo(middle.x + arm, middle.y - arm);
    canvas.lineTo(middle.x - arm, middle.y + arm);
  }
  if (urgency === 'none' || urgency === 'ended') canvas.stroke();
  else canvas.fill();
}
