/** A drawn chart as a self-contained SVG file, light and dark: no script, no font, nothing loaded from elsewhere. */

import type { TextLine, TextRun } from './chart-text.ts';
import type { Drawing, DrawnEdge, DrawnPoint, DrawnStart, DrawnState } from './layout.ts';
import { DOT, PADDING } from './layout.ts';
import { arialWidth, FONTS } from './text-size.ts';

const font = (role: TextRun['role']) =>
  `.${role}{font-size:${FONTS[role].size}px;font-weight:${FONTS[role].weight}}`;

/** The colours of the page's own style; a highlighted state has a thicker frame as well. */
export const SVG_STYLE = `
svg{--text:#1b1f24;--quiet:#5a6472;--ground:#fff;--raised:#f3f5f7;--line:#b9c2cc;--edge:#6b7683;--accent:#0b5cad;--guard:#7a5200;--lit:#dcebfb}
@media (prefers-color-scheme:dark){svg{--text:#e6e8eb;--quiet:#9aa4b1;--ground:#14171b;--raised:#1d2127;--line:#4a535e;--edge:#8b96a3;--accent:#6cb2ff;--guard:#e3b341;--lit:#17304c}}
text{font-family:Arial,"Liberation Sans",Helvetica,sans-serif;fill:var(--text)}
${(['name', 'event', 'guard', 'action', 'mark'] as const).map(font).join('')}
.guard{fill:var(--guard)}.action{fill:var(--quiet)}.mark{fill:var(--quiet)}
.ground,.label{fill:var(--ground)}
.state>rect{fill:var(--ground);stroke:var(--line);stroke-width:1.25}
.state.even>rect{fill:var(--raised)}
.state.region>rect{stroke-dasharray:5 4}
.state>rect.inner{fill:none}
.state.lit>rect{stroke:var(--accent);stroke-width:2.5}
.state.lit.leaf>rect:first-of-type{fill:var(--lit)}
.rule{stroke:var(--line)}
.way{fill:none;stroke:var(--edge);stroke-width:1.25}
.head,.dot{fill:var(--edge)}
`;

/**
 * The SVG of a drawing. `description`: what the machine is. `lit`: the ids of the states to highlight, with their
 * parents.
 */
export function chartSvg(drawing: Drawing, description: string, lit: ReadonlySet<string>): string {
  const { machine, width, height, states, edges, starts } = drawing;
  const now = states.filter(({ id }) => id !== '' && lit.has(id)).map(({ id }) => id);
  const words = [description, now.length === 0 ? '' : `Now in ${now.join(', ')}.`];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">State chart of ${escaped(machine)}</title>`,
    `<desc id="desc">${escaped(words.filter((text) => text !== '').join(' '))}</desc>`,
    `<style>${SVG_STYLE}</style>`,
    `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="head" d="M0 0.5 8 4 0 7.5Z"/></marker></defs>`,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    ...states.map((state) => stateSvg(state, lit, states)),
    ...starts.map(startSvg),
    ...edges.map(({ points }) => waySvg(points)),
    ...edges.map(labelSvg),
    '</svg>',
    '',
  ].join('\n');
}

function stateSvg(
  { id, name, type, isRegion, depth, x, y, width, height, nameY, headHeight, lines }: DrawnState,
  lit: ReadonlySet<string>,
  all: readonly DrawnState[],
): string {
  const isLeaf = !all.some((other) => other.id !== id && isWithin(other.id, id));
  const classes = [
    'state',
    depth % 2 === 0 ? 'even' : 'odd',
    ...(isRegion ? ['region'] : []),
    ...(isLeaf ? ['leaf'] : []),
    ...(lit.has(id) ? ['lit'] : []),
  ];
  const box = (inset: number) =>
    `x="${x + inset}" y="${y + inset}" width="${width - 2 * inset}" height="${height - 2 * inset}" rx="${6 - inset}"`;
  const rule = lines.length > 0 && !isLeaf;
  return [
    `<g class="${classes.join(' ')}"><rect ${box(0)}/>`,
    type === 'final' ? `<rect class="inner" ${box(3)}/>` : '',
    runSvg({ x: x + PADDING, y: nameY, role: 'name', text: name }),
    linesSvg(lines),
    rule ? `<path class="rule" d="M${x} ${y + headHeight}h${width}"/>` : '',
    '</g>',
  ].join('');
}

function isWithin(id: string, outer: string): boolean {
  return outer === '' || id.startsWith(`${outer}.`);
}

function linesSvg(lines: readonly TextLine[]): string {
  return lines
    .flatMap(({ runs }) => runs)
    .map(runSvg)
    .join('');
}

/** The text is stretched to the width that the layout assumed, whatever font the reader has. */
function runSvg({ x, y, role, text }: TextRun): string {
  const width = rounded(arialWidth(text, role));
  return `<text class="${role}" x="${x}" y="${y}" textLength="${width}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`;
}

function startSvg({ dot, points }: DrawnStart): string {
  return `<circle class="dot" cx="${dot.x}" cy="${dot.y}" r="${DOT}"/>${waySvg(points)}`;
}

function waySvg(points: readonly DrawnPoint[]): string {
  return `<path class="way" marker-end="url(#head)" d="${wayPath(points)}"/>`;
}

function labelSvg({ label: { x, y, width, height, lines } }: DrawnEdge): string {
  const ground = `<rect class="label" x="${x}" y="${y}" width="${width}" height="${height}" rx="3"/>`;
  return `<g>${ground}${linesSvg(lines)}</g>`;
}

const CORNER = 6;

/** The line through the points as SVG path data, with rounded corners. */
export function wayPath(points: readonly DrawnPoint[]): string {
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      if (before === undefined) return `M${point.x} ${point.y}`;
      if (after === undefined) return `L${point.x} ${point.y}`;
      const [begin, end] = [towards(point, before), towards(point, after)];
      return `L${begin.x} ${begin.y}Q${point.x} ${point.y} ${end.x} ${end.y}`;
    })
    .join('');
}

/** A point near `from` on the way to `to`, at most half of it away. */
function towards(from: DrawnPoint, to: DrawnPoint): DrawnPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(CORNER, length / 2) / length;
  return {
    x: rounded(from.x + (to.x - from.x) * part),
    y: rounded(from.y + (to.y - from.y) * part),
  };
}

const rounded = (value: number) => Math.round(value * 100) / 100;

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
