/** Line and bar charts as SVG, with text of the same size at every width. */
import type { Words } from '../results/said.ts';
import { type Band, drawBands } from './bands.ts';
import { claimMarkup } from './figure.ts';
import { type Axis, claimed, drawGrid, type Frame, frameOf, short } from './frame.ts';
import { type Markup, markup } from './markup.ts';

/** `exact`: the value with all of its digits, for amounts. */
type Point = { readonly x: number; readonly y: number; readonly exact?: bigint };
/** A line of steps, ascending by x. */
type Line = {
  /** What it claims to be, with what is claimed of each of its points. */
  readonly of: string;
  /** Null leaves a gap. */
  readonly points: readonly (Point | null)[];
  readonly isFilled: boolean;
};
export type Ink = 'first' | 'danger';
export type Bar = {
  readonly of: string;
  readonly from: number;
  readonly to: number;
  readonly value: number;
  readonly ink: Ink;
};
/** The words that appear when the reader points at this x. */
type Readout = { readonly x: number; readonly words: Words };

export type Chart = {
  /** Of what the lines and bars are, for whoever looks for the drawing. */
  readonly name: string;
  /** For screen readers, instead of the drawing. */
  readonly label: string;
  readonly height: number;
  readonly x: Axis;
  readonly y: Axis;
  readonly line?: Line;
  readonly bars?: readonly Bar[];
  readonly bands?: readonly Band[];
  /** A range from the left edge on that is shaded as dangerous. */
  readonly zone?: { readonly of: string; readonly to: number; readonly name: string } | null;
  readonly readouts: readonly Readout[];
};

/** Draws the chart; `width` in pixels where there is room for them. */
export function drawChart(chart: Chart, width: number): Markup {
  const lanes = (chart.bands ?? []).reduce((most, { lane }) => Math.max(most, lane + 1), 0);
  const frame = frameOf(chart, lanes, width);
  const places = chart.readouts.map(({ x }) => `${short(frame.x.at(x))} 0`);
  return markup`<svg class="chart" data-plot="${chart.name}" viewBox="0 0 ${width} ${chart.height}" role="img" tabindex="0" aria-label="${chart.label}" data-top="${frame.top}" data-bottom="${frame.bottom}" data-places="${places.join('\n')}">${[
    ...drawBands(chart.bands ?? [], frame),
    ...drawGrid(chart, frame),
    drawAreas(chart, frame),
    chart.line === undefined ? null : drawLine(chart.line, chart.y, frame),
  ]}<line class="pointer" x1="-9" x2="-9" y1="${frame.top}" y2="${frame.bottom}"/></svg>`;
}

function drawLine({ of, points, isFilled }: Line, { unit }: Axis, frame: Frame): Markup {
  const runs = unbroken(points).map(withoutLevels);
  const paths = runs.map((run) => pathOf(run, frame));
  const areas = paths.map(({ path, from }) =>
    isFilled ? markup`<path class="area" d="${path}V${frame.bottom}H${from}Z"/>` : null,
  );
  const told = runs.flat().map(({ x, y, exact }) => `${x},${exact ?? claimed(y, unit)}`);
  return markup`${areas}<path class="line" d="${paths.map(({ path }) => path).join('')}" data-line="${of}" data-unit="${unit}" data-points="${told.join(' ')}"/>`;
}

/** A run of points that has the same value from its first to its last needs only these two. */
function withoutLevels(run: readonly Point[]): Point[] {
  return run.filter(({ y }, at) => run[at - 1]?.y !== y || run[at + 1]?.y !== y);
}

function pathOf(run: readonly Point[], frame: Frame): { path: string; from: string } {
  const places = run.map(({ x, y }) => ({ x: short(frame.x.at(x)), y: short(frame.y.at(y)) }));
  const path = places.map(({ x, y }, at) => {
    const before = places[at - 1];
    if (before === undefined) return `M${x} ${y}`;
    return `H${x}${y === before.y ? '' : `V${y}`}`;
  });
  return { path: path.join(''), from: places[0]?.x ?? '0' };
}

function unbroken(points: Line['points']): Point[][] {
  const runs: Point[][] = [];
  let isBroken = true;
  for (const point of points) {
    if (point !== null && isBroken) runs.push([]);
    if (point !== null) runs.at(-1)?.push(point);
    isBroken = point === null;
  }
  return runs;
}

/** The zone and the bars, on a ground that is as large as the frame; their names and marks are beside it. */
function drawAreas({ bars = [], zone = null, y }: Chart, frame: Frame): Markup | null {
  if (bars.length === 0 && zone === null) return null;
  const { left, right, top, bottom } = frame;
  const ground = markup`<rect class="ground" x="${left}" y="${top}" width="${right - left}" height="${bottom - top}"/>`;
  const drawn = bars.map((bar) => drawBar(bar, y, frame));
  const marks = bars.map((bar) => lowMark(bar, frame));
  return markup`<g data-track="bars">${ground}${zoneShade(zone, frame)}${drawn}</g>${marks}${zoneEdge(zone, frame)}`;
}

/** A mark under the axis shows what is too low to be seen. */
const LOWEST = 1.5;

function drawBar(bar: Bar, { unit }: Axis, frame: Frame): Markup {
  const { of, value, ink } = bar;
  const { x, width } = sidesOf(bar, frame);
  const top = frame.y.at(value);
  const claim = claimMarkup({ of, value, unit }, { whole: frame.y.to, start: 0 });
  return markup`<rect class="bar ${ink}" data-bar="up" x="${x}" y="${short(top)}" width="${width}" height="${short(frame.bottom - top)}"${claim}/>`;
}

function lowMark(bar: Bar, frame: Frame): Markup | null {
  const { value, ink } = bar;
  if (value === 0 || frame.bottom - frame.y.at(value) >= LOWEST) return null;
  const { x, width } = sidesOf(bar, frame);
  return markup`<path class="low ${ink}" d="M${x} ${frame.bottom + 2}h${width}"/>`;
}

function sidesOf({ from, to }: Bar, frame: Frame): { x: string; width: string } {
  const [start, end] = [frame.x.at(from), frame.x.at(to)];
  const gap = Math.min(1, (end - start) / 6);
  return { x: short(start + gap), width: short(end - start - 2 * gap) };
}

type Zone = NonNullable<Chart['zone']> | null;

function zoneShade(zone: Zone, { left, top, bottom, x }: Frame): Markup | null {
  if (zone === null || zone.to <= x.from) return null;
  const claim = { of: zone.of, value: zone.to - x.from, unit: 'blocks' } as const;
  const onTrack = { whole: x.to - x.from, start: 0 };
  return markup`<rect class="zone" x="${left}" y="${top}" width="${short(x.at(zone.to) - left)}" height="${short(bottom - top)}"${claimMarkup({ ...claim, at: `blocks:${x.from}` }, onTrack)}/>`;
}

function zoneEdge(zone: Zone, { top, bottom, x }: Frame): Markup | null {
  if (zone === null || zone.to <= x.from) return null;
  const end = x.at(zone.to);
  return markup`<path class="zone-edge" d="M${short(end)} ${top}V${bottom}"/><text class="zone-name" x="${short(end + 6)}" y="${top + 10}">${zone.name}</text>`;
}
