/** The axes of a chart: where values belong, and ticks that stand there and say them. */
import type { FigureUnit } from '../../../basics/figure.ts';
import { type Markup, markup } from './markup.ts';
import { createScale, type Scale } from './scale.ts';

export type Axis = {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** What its values are claimed to be; a share is drawn from 0 to 1. */
  readonly unit: FigureUnit;
  readonly format: (value: number) => string;
  /** Whether there is nothing between whole numbers. */
  readonly isWhole?: boolean;
  /** Whether its end is the newest that is known, and is said. */
  readonly hasEnd?: boolean;
};

export type Frame = {
  width: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  x: Scale;
  y: Scale;
};

/** Pixels of a letter, and of a lane above the drawing. */
export const LETTER = 6.6;
export const LANE = 16;

/** `lanes`: how many lines of bars there are above the drawing. */
export function frameOf(
  { x, y, height }: { x: Axis; y: Axis; height: number },
  lanes: number,
  width: number,
): Frame {
  const top = 10 + lanes * LANE;
  const bottom = height - 38;
  const rows = { marks: height < 180 ? 3 : 5, isWhole: y.isWhole === true };
  const vertical = createScale(y, { start: bottom, end: top }, rows);
  const longest = vertical.ticks.reduce((most, tick) => Math.max(most, y.format(tick).length), 0);
  const left = Math.ceil(14 + longest * LETTER);
  // No letter of a label in the middle under the last tick is cut off.
  const right = Math.floor(width - Math.max(14, 2 + halfOf(x.format(x.to))));
  const columns = { marks: Math.max(3, width / 110), isWhole: x.isWhole === true };
  const horizontal = createScale(x, { start: left, end: right }, columns);
  return { width, left, right, top, bottom, x: horizontal, y: vertical };
}

const halfOf = (label: string): number => (label.length * LETTER) / 2;

export function drawGrid({ x, y }: { x: Axis; y: Axis }, frame: Frame): Markup[] {
  const { left, right, bottom } = frame;
  const rows = frame.y.ticks.map((tick) => {
    const at = short(frame.y.at(tick));
    return markup`<g data-tick="y"${tickClaim(y, tick)}><path class="grid" d="M${left} ${at}H${right}"/><text x="${left - 8}" y="${at}" class="end middle">${y.format(tick)}</text></g>`;
  });
  const columns = columnsOf(x, frame).map((tick) => {
    const at = short(frame.x.at(tick));
    return markup`<g data-tick="x"${tickClaim(x, tick)}><path class="tick" d="M${at} ${bottom}v4"/><text x="${at}" y="${bottom + 16}" class="mid">${x.format(tick)}</text></g>`;
  });
  const name = markup`<text x="${short((left + right) / 2)}" y="${bottom + 33}" class="mid axis">${x.label}</text>`;
  return [...rows, markup`<path class="axis" d="M${left} ${bottom}H${right}"/>`, ...columns, name];
}

/** The round values, and the end in place of those that are too near to it. */
function columnsOf({ format, hasEnd = false }: Axis, { x, right }: Frame): number[] {
  if (!hasEnd) return [...x.ticks];
  const free = right - halfOf(format(x.to)) - 10;
  return [...x.ticks.filter((tick) => x.at(tick) + halfOf(format(tick)) < free), x.to];
}

function tickClaim({ unit }: Axis, tick: number): Markup {
  return markup` data-value="${`${claimed(tick, unit)}`}" data-unit="${unit}"`;
}

/** A value of an axis as it is claimed. */
export function claimed(value: number, unit: FigureUnit): number {
  return unit === 'share' ? value * 1000 : value;
}

/** A number with at most one digit after the point: a tenth of a pixel. */
export function short(value: number): string {
  const text = value.toFixed(1);
  return text.endsWith('.0') ? text.slice(0, -2) : text;
}
