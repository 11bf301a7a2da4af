/** From values to places in a drawing, and the round values at which its axes are marked. */

export type Scale = {
  readonly from: number;
  readonly to: number;
  /** Ascending, all between `from` and `to`. */
  readonly ticks: readonly number[];
  /** Where a value is drawn; what lies outside is drawn at the end that is nearer. */
  at(value: number): number;
};

/** Values from `from` to `to` between the places `start` and `end`. A range of nothing is made one wide. */
export function createScale(
  range: { from: number; to: number },
  place: { start: number; end: number },
  marks = 5,
): Scale {
  const { from } = range;
  const to = range.to > from ? range.to : from + 1;
  const { start, end } = place;
  return {
    from,
    to,
    ticks: roundTicks(from, to, marks),
    at(value) {
      const clamped = Math.min(to, Math.max(from, value));
      return start + ((clamped - from) / (to - from)) * (end - start);
    },
  };
}

/** Multiples of 1, 2 or 5 times a power of ten: about so many, and not more than twice. */
export function roundTicks(from: number, to: number, marks: number): number[] {
  const step = roundStep((to - from) / Math.max(1, marks));
  const ticks: number[] = [];
  const last = Math.floor(to / step + 1e-9);
  // Counted and not added up, so that no rounding gathers; + 0 turns -0 into 0.
  for (let n = Math.ceil(from / step - 1e-9) + 0; n <= last; n++)
    ticks.push(rounded(n * step, step));
  return ticks;
}

/** The least round step of at least `least`. */
function roundStep(least: number): number {
  if (!(least > 0)) return 1;
  let power = 1;
  while (power > least) power /= 10;
  while (power * 10 <= least) power *= 10;
  for (const factor of [1, 2, 5]) if (power * factor >= least) return power * factor;
  return power * 10;
}

/** The least value of at least `value` that is a round step times a whole number: the top of an axis. */
export function roundTop(value: number, marks = 5): number {
  if (!(value > 0)) return 1;
  const step = roundStep(value / marks);
  return rounded(Math.ceil(value / step - 1e-9) * step, step);
}

/** 0.30000000000000004 is 0.3. */
function rounded(value: number, step: number): number {
  if (step >= 1) return Math.round(value);
  const inverse = Math.round(1 / step);
  return Math.round(value * inverse) / inverse;
}
