/** The frames around a report's drawings and tables. */
import type { Ink } from './chart.ts';
import { type Markup, markup } from './markup.ts';

/**
 * Widths in which each drawing is made, for a phone, for half the page and for the whole page; the style sheet
 * shows one of them.
 */
const WIDTHS = {
  half: [
    { name: 'small', width: 330 },
    { name: 'middle', width: 580 },
  ],
  whole: [
    { name: 'small', width: 330 },
    { name: 'middle', width: 760 },
    { name: 'large', width: 1200 },
  ],
  /** A map has little text and much to draw: two widths are enough. */
  map: [
    { name: 'small', width: 330 },
    { name: 'large', width: 1200 },
  ],
} as const;

/** The mark before a name in a legend. */
type Swatch = Ink | 'band' | 'honest' | 'attacker' | 'robbed' | 'closed';

export type Panel = {
  readonly title: string;
  /** What the drawing shows, in words; replaced by values while the reader points at the drawing. */
  readonly summary: string;
  readonly legend?: readonly { readonly name: string; readonly ink: Swatch }[];
  readonly size: keyof typeof WIDTHS;
  readonly draw: (width: number) => Markup;
  /** The drawing's values as a table, folded. */
  readonly table?: Markup | null;
};

/** A drawing with its title and legend. */
export function drawnPanel({ title, summary, legend = [], size, draw, table }: Panel): Markup {
  const drawings = WIDTHS[size].map(
    ({ name, width }) => markup`<div class="plot ${size}-${name}">${draw(width)}</div>`,
  );
  const names = legend.map(
    ({ name, ink }) => markup`<li><span class="swatch ${ink}"></span>${name}</li>`,
  );
  const key =
    names.length === 0 ? null : markup`<ul class="legend" aria-hidden="true">${names}</ul>`;
  const folded =
    table === undefined || table === null
      ? null
      : markup`<details><summary>As a table</summary>${table}</details>`;
  return markup`<section class="pane ${size}"><header><h3>${title}</h3>${key}</header>${drawings}<p class="readout" aria-live="polite">${summary}</p>${folded}</section>`;
}

/** A panel without a drawing. */
export function panel(title: string, size: keyof typeof WIDTHS, content: Markup): Markup {
  return markup`<section class="pane ${size}"><header><h3>${title}</h3></header>${content}</section>`;
}

export type Column = { readonly name: string; readonly isNumber?: boolean };
/** `sort`: the value to sort by, when it is not the cell's text read as a number. */
type Cell = string | Markup | { readonly cell: string | Markup; readonly sort: bigint | number };
export type Row = { readonly cells: readonly Cell[] };

/** A table that scrolls by itself when it is long; a click on its heads sorts the rows if `isSortable`. */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly Row[],
  isSortable = false,
): Markup {
  const heads = columns.map(({ name, isNumber = false }) => {
    const text = isSortable ? markup`<button type="button">${name}</button>` : name;
    const kind = isNumber ? markup` class="number"` : null;
    return markup`<th scope="col"${kind}>${text}</th>`;
  });
  const lines = rows.map(
    ({ cells }) =>
      markup`<tr>${cells.map((cell, at) => drawCell(cell, columns[at]?.isNumber === true))}</tr>`,
  );
  return markup`<div class="scroller" tabindex="0" role="region" aria-label="${caption}"><table${isSortable ? markup` class="sortable"` : null}><caption class="unseen">${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

function drawCell(cell: Cell, isNumber: boolean): Markup {
  const kind = isNumber ? markup` class="number"` : null;
  if (typeof cell === 'string' || 'markup' in cell) return markup`<td${kind}>${cell}</td>`;
  return markup`<td${kind} data-sort="${cell.sort.toString()}">${cell.cell}</td>`;
}

/** A table of names with bars of their values; the greatest value has the longest bar. */
export function barTable(
  columns: readonly [string, string],
  rows: readonly { readonly name: string; readonly value: number; readonly text: string }[],
): Markup {
  const most = rows.reduce((greatest, { value }) => Math.max(greatest, value), 0);
  const lines = rows.map(({ name, value, text }) => {
    const width = most === 0 ? 0 : Math.round((value / most) * 1000) / 10;
    return markup`<tr><th scope="row">${name}</th><td class="number">${text}</td><td class="bar-cell"><svg width="100%" height="12" aria-hidden="true"><rect class="bar first" width="${width}%" height="12"/></svg></td></tr>`;
  });
  return markup`<table class="bars"><thead><tr><th scope="col">${columns[0]}</th><th scope="col" class="number">${columns[1]}</th><td class="bar-cell"></td></tr></thead><tbody>${lines}</tbody></table>`;
}
