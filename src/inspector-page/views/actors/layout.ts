/** Where each cell of the map of actors is, in pixels; which cell is at a point, and which is next to another. */
import type { ListedActor } from '../../../inspector/wire.ts';
import type { ActorGroup } from './groups.ts';

export type CellSize = { width: number; height: number; gap: number };
type Section = {
  group: ActorGroup;
  /** The upper edge of the heading. */
  top: number;
  /** The upper edge of the first row of cells. */
  cellsTop: number;
  /** The number of the section's first cell, counted over all sections. */
  first: number;
};
export type ActorsLayout = {
  sections: readonly Section[];
  cell: CellSize;
  columns: number;
  height: number;
  count: number;
};
export type CellCorner = { x: number; y: number };

const HEADING_HEIGHT = 32;
const SECTION_GAP = 12;
/** Few actors get cells with words; the more actors there are, the smaller the cells. */
const SIZES: readonly { upTo: number; cell: CellSize }[] = [
  { upTo: 80, cell: { width: 232, height: 48, gap: 8 } },
  { upTo: 600, cell: { width: 28, height: 28, gap: 4 } },
  { upTo: 3_000, cell: { width: 18, height: 18, gap: 3 } },
];
const SMALLEST: CellSize = { width: 13, height: 13, gap: 2 };

export function layoutOf(groups: readonly ActorGroup[], width: number): ActorsLayout {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const cell = SIZES.find(({ upTo }) => count <= upTo)?.cell ?? SMALLEST;
  const columns = Math.max(1, Math.floor((width + cell.gap) / (cell.width + cell.gap)));
  const sections: Section[] = [];
  let top = 0;
  let first = 0;
  for (const group of groups) {
    const cellsTop = top + HEADING_HEIGHT;
    sections.push({ group, top, cellsTop, first });
    const lines = Math.ceil(group.rows.length / columns);
    top = cellsTop + lines * (cell.height + cell.gap) + SECTION_GAP;
    first += group.rows.length;
  }
  return { sections, cell, columns, height: top, count };
}

/** The number of the cell at a point; null between cells. */
export function cellAt(layout: ActorsLayout, { x, y }: CellCorner): number | null {
  const { cell, columns } = layout;
  const section = layout.sections.findLast(({ cellsTop }) => cellsTop <= y);
  if (section === undefined) return null;
  const pitchX = cell.width + cell.gap;
  const pitchY = cell.height + cell.gap;
  const column = Math.floor(x / pitchX);
  const line = Math.floor((y - section.cellsTop) / pitchY);
  const isOnCell =
    x - column * pitchX <= cell.width && (y - section.cellsTop) % pitchY <= cell.height;
  const index = line * columns + column;
  if (!isOnCell || column < 0 || column >= columns || index >= section.group.rows.length)
    return null;
  return section.first + index;
}

/** Upper left corner of a cell. */
export function boxOf(layout: ActorsLayout, number: number): CellCorner | null {
  const section = sectionOf(layout, number);
  if (section === undefined) return null;
  const { cell, columns } = layout;
  const index = number - section.first;
  return {
    x: (index % columns) * (cell.width + cell.gap),
    y: section.cellsTop + Math.floor(index / columns) * (cell.height + cell.gap),
  };
}

export function rowAt(layout: ActorsLayout, number: number): ListedActor | null {
  const section = sectionOf(layout, number);
  return section?.group.rows[number - section.first] ?? null;
}

/** The number of an actor's cell; null when it has none. */
export function numberOf({ sections }: ActorsLayout, actor: string): number | null {
  for (const { group, first } of sections) {
    const index = group.rows.findIndex((row) => row.actor === actor);
    if (index !== -1) return first + index;
  }
  return null;
}

/** The cell that a key leads to; up and down also lead into the next group. */
export function cellAfter(layout: ActorsLayout, number: number, key: string): number | null {
  const last = layout.count - 1;
  if (last < 0) return null;
  const target = { ArrowLeft: number - 1, ArrowRight: number + 1, Home: 0, End: last }[key];
  if (target !== undefined) return Math.min(Math.max(target, 0), last);
  if (key === 'ArrowDown') return below(layout, number);
  return key === 'ArrowUp' ? above(layout, number) : null;
}

function below({ sections, columns, count }: ActorsLayout, number: number): number {
  const at = sections.findLastIndex(({ first }) => first <= number);
  const section = sections[at];
  if (section === undefined) return number;
  const size = section.group.rows.length;
  const index = number - section.first;
  if (index + columns < size) return number + columns;
  const isInLastLine = Math.floor(index / columns) === Math.floor((size - 1) / columns);
  if (!isInLastLine) return section.first + size - 1;
  const next = sections[at + 1];
  if (next === undefined) return Math.min(number, count - 1);
  return next.first + Math.min(index % columns, next.group.rows.length - 1);
}

function above({ sections, columns }: ActorsLayout, number: number): number {
  const at = sections.findLastIndex(({ first }) => first <= number);
  const section = sections[at];
  if (section === undefined) return number;
  const index = number - section.first;
  if (index >= columns) return number - columns;
  const before = sections[at - 1];
  if (before === undefined) return number;
  const size = before.group.rows.length;
  const lastLine = Math.floor((size - 1) / columns) * columns;
  return before.first + Math.min(lastLine + (index % columns), size - 1);
}

function sectionOf({ sections }: ActorsLayout, number: number): Section | undefined {
  return sections.findLast(({ first }) => first <= number);
}
