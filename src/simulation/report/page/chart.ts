/** Line and bar charts as SVG, with text of the same size at every width. */
import { type Markup, markup } from './markup.ts';
import { createScale, type Scale } from './scale.ts';

type Axis = {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  readonly format: (value: number) => string;
};
/** A line of steps. */
type Line = {
  /** Ascending by x; null leaves a gap. */
  readonly points: readonly { readonly x: number; readonly y: number | null }[];
  readonly isFilled: boolean;
};
export type Ink = 'first' | 'danger';
/** A range of the x axis: shaded in the drawing, with a bar and its name above. */
export type Band = {
  readonly name: string;
  readonly lane: number;
  readonly from: number;
  readonly to: number;
};
export type Bar = {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  readonly ink: Ink;
};
/** The text that appears when the reader points at this x. */
type Readout = { readonly x: number; readonly text: string };

export type Chart = {
  /** For screen readers, instead of the drawing. */
  readonly label: string;
  readonly height: number;
  readonly x: Axis;
  readonly y: Axis;
  readonly line?: Line;
  readonly bars?: readonly Bar[];
  readonly bands?: readonly Band[];
  /** A range that is shaded as dangerous. */
  readonly zone?: { readonly from: number; readonly to: number; readonly name: string } | null;
  readonly readouts: readonly Readout[];
};

type Frame = {
  width: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  x: Scale;
  y: Scale;
};

const LANE = 16;
const LETTER = 6.6;

/** Draws the chart; `width` in pixels where there is room for them. */
export function drawChart(chart: Chart, width: number): Markup {
  const frame = frameOf(chart, width);
  const told = chart.readouts.map(({ x, text }) => toldAt(short(frame.x.at(x)), '0', text));
  return markup`<svg class="chart" viewBox="0 0 ${width} ${chart.height}" role="img" tabindex="0" aria-label="${chart.label}" data-top="${frame.top}" data-bottom="${frame.bottom}" data-points="${told.join('\n')}">${[
    ...drawBands(chart.bands ?? [], frame),
    drawZone(chart, frame),
    ...drawGrid(chart, frame),
    ...(chart.bars ?? []).map((bar) => drawBar(bar, frame)),
    chart.line === undefined ? null : drawLine(chart.line, frame),
  ]}<line class="pointer" x1="-9" x2="-9" y1="${frame.top}" y2="${frame.bottom}"/></svg>`;
}

function frameOf({ x, y, height, bands = [] }: Chart, width: number): Frame {
  const lanes = bands.reduce((most, { lane }) => Math.max(most, lane + 1), 0);
  const top = 10 + lanes * LANE;
  const bottom = height - 38;
  const vertical = createScale(y, { start: bottom, end: top }, height < 180 ? 3 : 5);
  const longest = vertical.ticks.reduce((most, tick) => Math.max(most, y.format(tick).length), 0);
  const left = Math.ceil(14 + longest * LETTER);
  const right = width - 14;
  const horizontal = createScale(x, { start: left, end: right }, Math.max(3, width / 110));
  return { width, left, right, top, bottom, x: horizontal, y: vertical };
}

function drawGrid({ x, y }: Chart, frame: Frame): Markup[] {
  const { left, right, bottom } = frame;
  const rows = frame.y.ticks.map((tick) => {
    const at = short(frame.y.at(tick));
    return markup`<path class="grid" d="M${left} ${at}H${right}"/><text x="${left - 8}" y="${at}" class="end middle">${y.format(tick)}</text>`;
  });
  const columns = frame.x.ticks.map((tick) => {
    const at = short(frame.x.at(tick));
    return markup`<path class="tick" d="M${at} ${bottom}v4"/><text x="${labelAt(x.format(tick), frame.x.at(tick), frame)}" y="${bottom + 16}" class="mid">${x.format(tick)}</text>`;
  });
  const name = markup`<text x="${short((left + right) / 2)}" y="${bottom + 33}" class="mid axis">${x.label}</text>`;
  return [...rows, markup`<path class="axis" d="M${left} ${bottom}H${right}"/>`, ...columns, name];
}

/** A label's place, far enough from the right edge that no letter is cut off. */
function labelAt(label: string, at: number, { width }: Frame): string {
  return short(Math.min(at, width - 2 - (label.length * LETTER) / 2));
}

function drawLine({ points, isFilled }: Line, frame: Frame): Markup {
  const runs = unbroken(points).map((run) => {
    const places = run.map(({ x, y }) => ({ x: short(frame.x.at(x)), y: short(frame.y.at(y)) }));
    return { places, path: pathOf(places) };
  });
  const areas = runs.map(({ places, path }) => {
    const [first, last] = [places[0], places.at(-1)];
    if (!isFilled || first === undefined || last === undefined) return null;
    return markup`<path class="area" d="${path}V${frame.bottom}H${first.x}Z"/>`;
  });
  return markup`${areas}<path class="line" d="${runs.map(({ path }) => path).join('')}"/>`;
}

function pathOf(places: readonly { x: string; y: string }[]): string {
  return places
    .map(({ x, y }, at) => {
      const before = places[at - 1];
      if (before === undefined) return places.length === 1 ? `M${x} ${y}h0.01` : `M${x} ${y}`;
      // A horizontal stretch is drawn as one line, at its end.
      const isLevel = y === before.y && places[at + 1]?.y === y;
      return isLevel ? '' : `H${x}${y === before.y ? '' : `V${y}`}`;
    })
    .join('');
}

function unbroken(points: Line['points']): { x: number; y: number }[][] {
  const runs: { x: number; y: number }[][] = [];
  let isBroken = true;
  for (const { x, y } of points) {
    if (y === null) {
      isBroken = true;
      continue;
    }
    if (isBroken) runs.push([]);
    runs.at(-1)?.push({ x, y });
    isBroken = false;
  }
  return runs;
}

function drawBar({ from, to, value, ink }: Bar, frame: Frame): Markup {
  const [start, end] = [frame.x.at(from), frame.x.at(to)];
  const gap = Math.min(1, (end - start) / 6);
  const top = frame.y.at(value);
  // A bar of one among thousands must still be visible.
  const height = value > 0 ? Math.max(1.5, frame.bottom - top) : 0;
  return markup`<rect class="bar ${ink}" x="${short(start + gap)}" y="${short(frame.bottom - height)}" width="${short(end - start - 2 * gap)}" height="${short(height)}"/>`;
}

/** A place in pixels from the left. */
type Span = { left: number; right: number };

/** All shades are one path, so that the line can be seen however many faults there are at a time. */
function drawBands(bands: readonly Band[], frame: Frame): Markup[] {
  if (bands.length === 0) return [];
  const placed = bands.map((band) => ({ band, span: spanOf(band, frame) }));
  const shades = united(placed.map(({ span }) => span)).map(
    ({ left, right }) =>
      `M${short(left)} ${frame.top}H${short(right)}V${frame.bottom}H${short(left)}Z`,
  );
  const bars = placed.map(({ band, span }) => {
    const others = placed.filter((other) => other.band.lane === band.lane && other.band !== band);
    const next = others.map(({ span: { left } }) => left).filter((left) => left > span.left);
    return drawBand(band, span, Math.min(frame.right, ...next));
  });
  return [markup`<path class="shade" d="${shades.join('')}"/>`, ...bars];
}

function spanOf({ from, to }: Band, frame: Frame): Span {
  const start = frame.x.at(from);
  const width = Math.max(3, frame.x.at(to) - start);
  const left = Math.min(start, frame.right - width);
  return { left, right: left + width };
}

/** The spans without their overlaps, from the left. */
function united(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const { left, right } of spans.toSorted((a, b) => a.left - b.left)) {
    const last = found.at(-1);
    if (last !== undefined && left <= last.right) last.right = Math.max(last.right, right);
    else found.push({ left, right });
  }
  return found;
}

/** The bar above the drawing, with its name where it fits: inside, or before whatever begins at `limit`. */
function drawBand({ name, lane }: Band, { left, right }: Span, limit: number): Markup {
  const top = 4 + lane * LANE;
  const length = name.length * LETTER;
  const fits = length + 8 <= right - left;
  const place = fits ? left + 5 : right + 4;
  const label =
    fits || place + length < limit
      ? markup`<text class="${fits ? 'band-name' : 'band-name beside'}" x="${short(place)}" y="${top + 7}">${name}</text>`
      : null;
  return markup`<rect class="band" x="${short(left)}" y="${top}" width="${short(right - left)}" height="13" rx="2"><title>${name}</title></rect>${label}`;
}

function drawZone({ zone }: Chart, frame: Frame): Markup | null {
  if (zone === undefined || zone === null) return null;
  const [start, end] = [frame.x.at(zone.from), frame.x.at(zone.to)];
  if (end <= start) return null;
  return markup`<rect class="zone" x="${short(start)}" y="${frame.top}" width="${short(end - start)}" height="${short(frame.bottom - frame.top)}"/><path class="zone-edge" d="M${short(end)} ${frame.top}V${frame.bottom}"/><text class="zone-name" x="${short(end + 6)}" y="${frame.top + 10}">${zone.name}</text>`;
}

/** One line of the attribute `data-points`, which the page's script reads: a place in the drawing and its text. */
export function toldAt(x: string, y: string, text: string): string {
  return `${x} ${y} ${text.replaceAll(/\s+/g, ' ')}`;
}

/** A number with at most one digit after the point: a tenth of a pixel. */
export function short(value: number): string {
  const text = value.toFixed(1);
  return text.endsWith('.0') ? text.slice(0, -2) : text;
}
