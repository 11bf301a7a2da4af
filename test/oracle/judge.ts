/** What is wrong with a page by itself: texts that do not say what they claim, bars and lines that are elsewhere. */
import type { Bar, Figure, Plot, Seen } from './read.ts';

/** `decimals` and `symbol` of the tokens of this world, by address in small letters. */
export type Tokens = ReadonlyMap<string, { symbol: string; decimals: number }>;

/** How far in pixels a drawing may be from where it belongs: a browser rounds, and lines have a width. */
const TOLERANCE = 1.6;

/** One sentence for each thing that is wrong with what the page shows. */
export function wrongIn(seen: Seen, tokens: Tokens): string[] {
  const { overflow, small, cut, overlaps, width } = seen.layout;
  const layout = [
    ...(overflow > 0 ? [`the page is ${overflow} px wider than the window`] : []),
    ...small.map((text) => `too small: ${text}`),
    ...cut.map((text) => `cut off: ${text}`),
    ...overlaps.map((text) => `one on the other: ${text}`),
  ].map((text) => `at ${width} px: ${text}`);
  return [
    ...seen.figures.flatMap((figure) => wrongText(figure, tokens) ?? []),
    ...seen.bars.flatMap((bar) => wrongBar(bar) ?? []),
    ...seen.plots.flatMap((plot) => wrongPlot(plot, tokens)),
    ...seen.stray.map((text) => `an amount that nobody can check: ${text}`),
    ...layout,
  ];
}

/** Whether the text says the claimed value; null: it does. */
export function wrongText({ claim, value, unit, text }: Figure, tokens: Tokens): string | null {
  const said = saysValue(text, value, unit, tokens);
  return said ? null : `${claim} says “${text}”, and claims ${value} ${unit}`;
}

function saysValue(text: string, value: string, unit: string, tokens: Tokens): boolean {
  if (unit === 'word' || unit === 'ms') return text !== '';
  const decimals =
    unit === 'wei' ? 18 : unit.startsWith('0x') ? tokens.get(unit.toLowerCase())?.decimals : 0;
  const written = writtenNumber(text);
  if (written === null || decimals === undefined) return false;
  if (unit === 'share') return true;
  // In tokens, or in the smallest unit, as the reader chose.
  return [decimals, 0].some((places) => isCutOf(written, BigInt(value), places));
}

/** `digits`: without a point; `places`: how many of them are behind it; `isCut`: an ellipsis follows. */
type Written = { digits: bigint; places: number; isCut: boolean; isNegative: boolean };

/** The first number of a text: `−1,234.5…`, `5e-11`, `#12`. Null: there is none. */
function writtenNumber(text: string): Written | null {
  const found = /([−-]?)\D{0,2}?(\d[\d,]*)(?:\.(\d+))?(…?)(?:e(-?\d+))?/.exec(text);
  if (found === null) return null;
  const [, sign, whole = '', fraction = '', ellipsis, power = '0'] = found;
  const digits = BigInt(whole.replaceAll(',', '') + fraction);
  const places = fraction.length - Number(power);
  const isCut = ellipsis === '…';
  return places < 0
    ? { digits: digits * 10n ** BigInt(-places), places: 0, isCut, isNegative: sign !== '' }
    : { digits, places, isCut, isNegative: sign !== '' };
}

/** Whether the number is the value, or its beginning when an ellipsis follows. */
function isCutOf({ digits, places, isCut, isNegative }: Written, value: bigint, decimals: number) {
  if (isNegative !== value < 0n) return false;
  const exact = value < 0n ? -value : value;
  if (places > decimals) return false;
  const step = 10n ** BigInt(decimals - places);
  return isCut ? exact / step === digits && exact % step !== 0n : digits * step === exact;
}

/** Whether the bar is as long as its value, and begins where it should; null: it does. */
function wrongBar(bar: Bar): string | null {
  const whole = Number(bar.whole);
  if (whole === 0) return null;
  const from = Number(bar.start) / whole;
  const to = from + Number(bar.value) / whole;
  const along = bar.ends === null ? alongBox(bar) : alongLine(bar);
  if (along === null) return `${bar.claim} is a bar without a track`;
  const { begin, end, length } = along;
  const isRight =
    Math.abs(begin - from * length) <= TOLERANCE && Math.abs(end - to * length) <= TOLERANCE;
  if (isRight) return null;
  const share = (value: number) => `${Math.round((value / length) * 1000) / 10} %`;
  return `the bar of ${bar.claim} is drawn from ${share(begin)} to ${share(end)}, and claims ${Math.round(from * 1000) / 10} % to ${Math.round(to * 1000) / 10} %`;
}

/** In pixels from the beginning of the track. */
type Along = { begin: number; end: number; length: number };

function alongBox({ box, trackBox, way }: Bar): Along | null {
  if (trackBox === null) return null;
  return way === 'right'
    ? { begin: box.left - trackBox.left, end: box.right - trackBox.left, length: trackBox.width }
    : {
        begin: trackBox.bottom - box.bottom,
        end: trackBox.bottom - box.top,
        length: trackBox.height,
      };
}

function alongLine({ ends, trackEnds }: Bar): Along | null {
  if (ends === null || trackEnds === null) return null;
  const [from, to] = trackEnds;
  const [x, y] = [to.left - from.left, to.top - from.top];
  const length = Math.hypot(x, y);
  const along = ({ left, top }: { left: number; top: number }) =>
    ((left - from.left) * x + (top - from.top) * y) / length;
  return { begin: along(ends[0]), end: along(ends[1]), length };
}

/** Ticks stand where their values are, their labels differ and say them, and lines go through their points. */
function wrongPlot({ name, ticks, lines }: Plot, tokens: Tokens): string[] {
  const wrong: string[] = [];
  for (const axis of ['x', 'y'] as const) {
    const own = ticks.filter((tick) => tick.axis === axis);
    if (own.length < 2 && lines.some(({ points }) => points.length > 1))
      wrong.push(`${name}: the ${axis} axis has ${own.length} ticks`);
    const labels = own.map(({ text }) => text).filter((text) => text !== '');
    const twice = labels.find((text, index) => labels.indexOf(text) !== index);
    if (twice !== undefined) wrong.push(`${name}: the ${axis} axis says “${twice}” twice`);
    const at = placeOn(own, axis);
    for (const { value, unit, text, mark } of own) {
      if (at !== null && Math.abs(at(Number(value)) - middle(mark, axis)) > TOLERANCE)
        wrong.push(`${name}: the tick “${text}” of the ${axis} axis is not at its value`);
      if (unit !== null && text !== '' && !saysValue(text, value, unit, tokens))
        wrong.push(`${name}: a tick at ${value} says “${text}”`);
    }
  }
  return [...wrong, ...lines.flatMap((line) => wrongLine(name, line, ticks))];
}

function wrongLine(name: string, line: Plot['lines'][number], ticks: Plot['ticks']): string[] {
  const [x, y] = [
    placeOn(
      ticks.filter(({ axis }) => axis === 'x'),
      'x',
    ),
    placeOn(
      ticks.filter(({ axis }) => axis === 'y'),
      'y',
    ),
  ];
  if (x === null || y === null) return [];
  const lost = line.points.find(([along, value]) => {
    const [left, top] = [x(Number(along)), y(Number(value))];
    return !line.corners.some(
      (corner) =>
        Math.abs(corner.left - left) <= TOLERANCE && Math.abs(corner.top - top) <= TOLERANCE,
    );
  });
  return lost === undefined
    ? []
    : [`${name}: the line of ${line.claim} does not go through ${lost.join(', ')}`];
}

type Tick = Plot['ticks'][number];
const middle = ({ left, right, top, bottom }: Tick['mark'], axis: 'x' | 'y') =>
  axis === 'x' ? (left + right) / 2 : (top + bottom) / 2;

/** Where on the axis a value belongs, by its first and its last tick; null with fewer than two. */
function placeOn(ticks: readonly Tick[], axis: 'x' | 'y'): ((value: number) => number) | null {
  const sorted = ticks.toSorted((a, b) => Number(a.value) - Number(b.value));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined || first === last) return null;
  const [from, to] = [Number(first.value), Number(last.value)];
  const [start, end] = [middle(first.mark, axis), middle(last.mark, axis)];
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}
