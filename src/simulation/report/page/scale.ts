/** Converts values to places in a drawing, and finds round values for its axes. */

export type Scale = {
  readonly from: number;
  readonly to: number;
  /** Ascending, all between `from` and `to`. */
  readonly ticks: readonly number[];
  /** The place of a value; values outside are drawn at the nearer end. */
  at(value: number): number;
};

/**
 * A scale for values from `from` to `to` between the places `start` and `end`. An empty range is widened to 1. `isWhole`:
 * ticks are at whole numbers only.
 */
export function createScale(
  range: { from: number; to: number },
  place: { start: number; end: number },
  { marks = 5, isWhole = false }: { marks?: number; isWhole?: boolean } = {},
): Scale {
  const { from } = range;
  const to = range.to > from ? range.to : from + 1;
  const { start, end } = place;
  return {
    from,
    to,
    ticks: roundTicks(from, to, isWhole ? Math.min(marks, to - from) : marks),
    at(value) {
      const clamped = Math.min(to, Math.max(from, value));
      return start + ((clamped - from) / (to - from)) * (end - start);
    },
  };
}

/** Multiples of 1, 2 or 5 times a power of ten: about `marks` of them, and at most twice as many. */
export function roundTicks(from: number, to: number, marks: number): number[] {
  const step = roundStep((to - from) / Math.max(1, marks));
  const ticks: number[] = [];
  const last = Math.floor(to / step + 1e-9);
  // Multiplied and not added up, so that rounding errors do not sum up; + 0 turns -0 into 0.
  for (let n = Math.ceil(from / step - 1e-9) + 0; n <= last; n++)
    ticks.push(rounded(n * step, step));
  return ticks;
}

/** The smallest round step that is not below `least`. */
function roundStep(least: number): number {
  if (!(least > 0)) return 1;
  let power = 1;
  while (power > least) power /= 10;
  while (power * 10 <= least) power *= 10;
  for (const factor of [1, 2, 5]) if (power * factor >= least) return power * factor;
  return power * 10;
}

/** The smallest whole multiple of a round step that is not below `value`: the top of an axis. */
export function roundTop(value: number, marks = 5): number {
  if (!(value > 0)) return 1;
  const step = roundStep(value / marks);
  return rounded(Math.ceil(value / step - 1e-9) * step, step);
}

/** Rounds floating point errors away: 0.30000000000000004 becomes 0.3. */
function rounded(value: number, step: number): number {
  if (step >= 1) return Math.round(value);
  const inverse = Math.round(1 / step);
  return Math.round(value * inverse) / inverse;
}
