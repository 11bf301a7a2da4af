/**
 * The imbalance penalty: what it costs a mediator that a channel leans to one side. Source: protocol
 * section 6.2.
 */
import { add, type Rational, ratio, roundHalfEven, whole } from './rational.ts';

/**
 * Points (own balance in the channel, penalty) in the token's smallest unit, balances strictly ascending.
 * Linear between two points, not defined outside the first and the last.
 */
export type PenaltyCurve = readonly (readonly [balance: bigint, penalty: bigint])[];

/** Most points of a curve that this node makes. */
const CURVE_POINTS = 21n;
/** Highest imbalance fee in parts per million: half the steepest slope that a curve may have. */
export const MAX_IMBALANCE_PPM = 50_000n;
/** Keeps the arithmetic in doubles stable. */
const MAX_EXPONENT = 10;

/** Whether a curve that another node sent is valid: at least two points, balances strictly ascending. */
export function isPenaltyCurve(points: PenaltyCurve): boolean {
  const isAscending = points.every(([balance], at) => {
    const before = points[at - 1];
    return before === undefined || before[0] < balance;
  });
  return points.length >= 2 && isAscending;
}

/**
 * The U-shaped curve for a channel of `capacity` (deposits less withdraws of both sides): 0 in the middle,
 * `ppm` parts per million of the capacity at both ends. Null when there is nothing to charge. The points
 * come out of doubles, as in other nodes: everybody else uses the points, never the formula.
 */
export function imbalancePenalty(capacity: bigint, ppm: bigint): PenaltyCurve | null {
  if (ppm < 0n || ppm > MAX_IMBALANCE_PPM) throw new RangeError('imbalance fee out of bounds');
  if (capacity <= 0n || ppm === 0n) return null;
  const steps = capacity < CURVE_POINTS - 1n ? capacity : CURVE_POINTS - 1n;
  const penalty = penaltyFunction(capacity, ppm);
  return Array.from({ length: Number(steps) + 1 }, (_, index) => {
    const balance = evenStep(capacity, BigInt(index), steps);
    return [balance, penalty(balance)] as const;
  });
}

/** The end of step `index` when 0 to `stop` is divided into `steps` equal ones. */
export function evenStep(stop: bigint, index: bigint, steps: bigint): bigint {
  return roundHalfEven(ratio(stop * index, steps));
}

function penaltyFunction(capacity: bigint, ppm: bigint): (balance: bigint) => bigint {
  const atEnds = Number(capacity * ppm) / 1e6;
  const middle = Number(capacity) / 2;
  const exponent = Math.min((0.1 * middle) / atEnds, MAX_EXPONENT);
  const scale = middle ** exponent;
  return (balance) => {
    const distance = Math.abs(Number(balance) - middle);
    // The power of a huge capacity does not fit a double; the power of a ratio always does.
    return Number.isFinite(scale)
      ? nearest((atEnds / scale) * distance ** exponent)
      : nearest(atEnds * (distance / middle) ** exponent);
  };
}

/** The nearest whole number of a double, half to even. */
function nearest(value: number): bigint {
  const floor = Math.floor(value);
  const rest = value - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 === 1);
  return BigInt(up ? floor + 1 : floor);
}

/** The penalty at an own balance, or null outside the curve. No curve means no penalty anywhere. */
export function penaltyAt(curve: PenaltyCurve | null, balance: bigint): Rational | null {
  if (curve === null) return whole(0n);
  for (let at = 0; at < curve.length; at++) {
    const right = curve[at];
    if (right === undefined || right[0] < balance) continue;
    if (right[0] === balance) return whole(right[1]);
    const left = curve[at - 1];
    if (left === undefined) return null;
    const rise = ratio((right[1] - left[1]) * (balance - left[0]), right[0] - left[0]);
    return add(whole(left[1]), rise);
  }
  return null;
}
