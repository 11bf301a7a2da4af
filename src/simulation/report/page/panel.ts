/** The frames around a report's drawings and tables. */
import type { Said, Words } from '../results/said.ts';
import type { Ink } from './chart.ts';
import { claimMarkup, saidMarkup, shown, spoken } from './figure.ts';
import { type Markup, markup } from './markup.ts';

/**
 * Widths in which each drawing is made; the style sheet shows the one that has room, so that no letter of it becomes smaller
 * than eleven pixels.
 */
const WIDTHS = {
  half: [
    { name: 'small', width: 330 },
    { name: 'middle', width: 560 },
  ],
  whole: [
    { name: 'small', width: 330 },
    { name: 'middle', width: 660 },
    { name: 'large', width: 1200 },
  ],
  map: [
    { name: 'small', width: 330 },
    { name: 'middle', width: 660 },
    { name: 'large', width: 1200 },
  ],
} as const;

/** The mark before a name in a legend. */
type Swatch = Ink | 'band' | 'honest' | 'attacker' | 'robbed' | 'closed';

export type Panel = {
  readonly title: string;
  /** What the drawing shows, in words; replaced by values while the reader points at the drawing. */
  readonly summary: Words;
  /** The words for each place of the drawing, in the same order. */
  readonly readouts: readonly Words[];
  readonly legend?: readonly { readonly name: string; readonly ink: Swatch }[];
  readonly size: keyof typeof WIDTHS;
  readonly draw: (width: number) => Markup;
  /** The drawing's values as a table, folded. */
  readonly table?: Markup | null;
};

/** A drawing with its title and legend. */
export function drawnPanel(drawn: Panel): Markup {
  const { title, summary, readouts, legend = [], size, draw, table } = drawn;
  const drawings = WIDTHS[size].map(
    ({ name, width }) => markup`<div class="plot ${size}-${name}">${draw(width)}</div>`,
  );
  const told = readouts.map((words) => markup`<p>${spoken(words)}</p>`);
  const names = legend.map(
    ({ name, ink }) => markup`<li><span class="swatch ${ink}"></span>${name}</li>`,
  );
  const key =
    names.length === 0 ? null : markup`<ul class="legend" aria-hidden="true">${names}</ul>`;
  const folded =
    table === undefined || table === null
      ? null
      : markup`<details><summary>As a table</summary>${table}</details>`;
  return markup`<section class="pane ${size}"><header><h3>${title}</h3>${key}</header><div class="plots">${drawings}</div><p class="readout" aria-live="polite">${spoken(summary)}</p><template>${told}</template>${folded}</section>`;
}

/** A panel without a drawing. */
export function panel(title: string, size: keyof typeof WIDTHS, content: Markup): Markup {
  return markup`<section class="pane ${size}"><header><h3>${title}</h3></header>${content}</section>`;
}

export type Column = { readonly name: string; readonly isNumber?: boolean };
/** `words`: of several figures, or with words between them; `sort`: the value to sort by, when it is not text. */
type Cell =
  | string
  | Markup
  | (Said & { readonly ink?: 'bad' | 'quiet' })
  | { readonly words: Words; readonly sort: bigint | number };
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

/** A figure is sorted by what it claims. */
function drawCell(cell: Cell, isNumber: boolean): Markup {
  const kind = isNumber ? markup` class="number"` : null;
  if (typeof cell === 'string' || 'markup' in cell) return markup`<td${kind}>${cell}</td>`;
  if ('of' in cell) {
    const { ink, ...said } = cell;
    const text = ink === undefined ? said.text : markup`<span class="${ink}">${said.text}</span>`;
    return markup`<td${kind}${saidMarkup(said)}>${text}</td>`;
  }
  return markup`<td${kind} data-sort="${cell.sort.toString()}">${spoken(cell.words)}</td>`;
}

/** `bar`: the figure that is as long as the row's bar. */
export type BarRow = { readonly name: string; readonly bar: Said; readonly words: Words };

/** A table of names with bars of their values; the greatest value has the longest bar. */
export function barTable(columns: readonly [string, string], rows: readonly BarRow[]): Markup {
  const most = rows.reduce((greatest, { bar }) => Math.max(greatest, Number(bar.value)), 0);
  const lines = rows.map(({ name, bar, words }) => {
    const width = most === 0 ? 0 : Math.round((Number(bar.value) / most) * 1000) / 10;
    const claim = claimMarkup(bar, { whole: most, start: 0 });
    return markup`<tr><th scope="row">${name}</th><td class="number">${shown(bar)}${spoken(words)}</td><td class="bar-cell"><svg data-track="bar" width="100%" height="12" aria-hidden="true"><rect class="bar first" width="${width}%" height="12"${claim}/></svg></td></tr>`;
  });
  return markup`<table class="bars"><thead><tr><th scope="col">${columns[0]}</th><th scope="col" class="number">${columns[1]}</th><td class="bar-cell"></td></tr></thead><tbody>${lines}</tbody></table>`;
}
