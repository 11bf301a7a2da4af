/** Bars above a chart: from when to when something was so, as a fault that was at work. */
import { claimMarkup } from './figure.ts';
import { type Frame, LANE, LETTER, short } from './frame.ts';
import { type Markup, markup } from './markup.ts';

/** A range of the x axis: shaded in the drawing, with a bar and its name above. */
export type Band = {
  readonly name: string;
  readonly lane: number;
  readonly from: number;
  /** Where it is over. */
  readonly to: number;
};

/** A place in pixels from the left. */
type Span = { left: number; right: number };

/** What is narrower could not be seen. It has its middle where it should. */
const NARROWEST = 1.5;

/** All shades are one path, so that the line can be seen however many faults there are at a time. */
export function drawBands(all: readonly Band[], frame: Frame): Markup[] {
  const bands = all.flatMap((band) => {
    const from = Math.max(band.from, frame.x.from);
    const to = Math.min(band.to, frame.x.to);
    return from < to ? [{ ...band, from, to }] : [];
  });
  if (bands.length === 0) return [];
  const placed = bands.map((band) => ({ band, span: spanOf(band, frame) }));
  const shades = united(placed.map(({ span }) => span)).map(
    ({ left, right }) =>
      `M${short(left)} ${frame.top}H${short(right)}V${frame.bottom}H${short(left)}Z`,
  );
  const bars = placed.map(({ band, span }) => {
    const others = placed.filter((other) => other.band.lane === band.lane && other.band !== band);
    const next = others.map(({ span: { left } }) => left).filter((left) => left > span.left);
    return drawBand(band, { span, limit: Math.min(frame.right, ...next) }, frame);
  });
  const { left, right, top } = frame;
  const track = markup`<rect class="ground" x="${left}" y="4" width="${right - left}" height="${top - 10}"/>`;
  return [
    markup`<path class="shade" d="${shades.join('')}"/>`,
    markup`<g data-track="bands">${track}${bars}</g>`,
  ];
}

function spanOf({ from, to }: Band, frame: Frame): Span {
  const [left, right] = [frame.x.at(from), frame.x.at(to)];
  const missing = Math.max(0, NARROWEST - (right - left)) / 2;
  return { left: left - missing, right: right + missing };
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

type Place = { span: Span; limit: number };

/** The bar above the drawing, with its name where it fits: inside, or before whatever begins at `limit`. */
function drawBand({ name, lane, from, to }: Band, { span, limit }: Place, { x }: Frame): Markup {
  const { left, right } = span;
  const top = 4 + lane * LANE;
  const length = name.length * LETTER;
  const fits = length + 8 <= right - left;
  const place = fits ? left + 5 : right + 4;
  const label =
    fits || place + length < limit
      ? markup`<text class="${fits ? 'band-name' : 'band-name beside'}" x="${short(place)}" y="${top + 7}">${name}</text>`
      : null;
  const claim = { of: `faults:${name}/blocks`, value: to - from, unit: 'blocks' } as const;
  const onTrack = { whole: x.to - x.from, start: from - x.from };
  return markup`<rect class="band" x="${short(left)}" y="${top}" width="${short(right - left)}" height="13" rx="2"${claimMarkup({ ...claim, at: `block:${from}` }, onTrack)}><title>${name}</title></rect>${label}`;
}
