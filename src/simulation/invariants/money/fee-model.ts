/**
 * What a mediator passes on of what it gets, as the protocol has it (section 6): reckoned here a second time, and another
 * way, than the node does it. Amounts in the token's smallest unit.
 *
 * The fee of a channel is flat, a share of the amount, and what the channel's penalty grows by. For whoever gets `x` the
 * amount `y` that goes on solves y + fee(x, y) = x, where a capped fee is at least 0. The left side grows with y, so its
 * whole part is found by halving, and the rest on the straight line to the next whole number.
 */
import type { FeeTerms } from '../../../protocol/fees/fee-terms.ts';

/** A mediator's channel: what is its own, and what its partner can still send. */
export type FeeSide = { balance: bigint; receivable: bigint };
export type Passing = { terms: FeeTerms; came: FeeSide; went: FeeSide; amount: bigint };
/** The first over the second, which is above 0. */
type Ratio = readonly [bigint, bigint];
type Penalty = readonly { balance: bigint; penalty: bigint }[];

const MILLION = 1_000_000n;
/** The most points of a penalty, less one. */
const STEPS = 20n;

/** Null: it can pass nothing on. */
export function passedOn({ terms, came, went, amount }: Passing): bigint | null {
  if (went.balance <= 0n || came.receivable <= 0n || amount > came.receivable) return null;
  const penaltyIn = penaltyOf(terms, came.balance + came.receivable);
  const penaltyOut = penaltyOf(terms, went.balance + went.receivable);
  const share = rounded(MILLION * terms.proportional, terms.proportional + 2n * MILLION);
  const flat = 2n * (terms.flat / 2n);
  const grownIn = minus(at(penaltyIn, came.balance + amount), at(penaltyIn, came.balance));
  const keptOut = at(penaltyOut, went.balance);
  /** What is missing of y + fee(x, y) - x; below 0: more can go on. */
  const over = (y: bigint): Ratio => {
    const grown = plus(grownIn, minus(at(penaltyOut, went.balance - y), keptOut));
    const rest = plus(grown, [share * (amount + y), MILLION]);
    return plus(rest, [y + flat - amount, 1n]);
  };
  const solution = solved(over, went.balance);
  if (terms.capFees && (solution === null || isAbove(solution, amount)))
    return isBelow(over(0n)) && amount <= went.balance ? amount : null;
  const whole = solution === null ? 0n : rounded(...solution);
  return whole > 0n ? whole : null;
}

/** Where a function that grows from 0 to `end` is 0; null: nowhere. */
function solved(over: (y: bigint) => Ratio, end: bigint): Ratio | null {
  if (!isBelow(over(0n)) || over(end)[0] < 0n) return null;
  let below = 0n;
  let above = end;
  while (above - below > 1n) {
    const middle = (below + above) / 2n;
    if (isBelow(over(middle))) below = middle;
    else above = middle;
  }
  const [first, one] = over(below);
  const [last, two] = over(above);
  const fall = -first * two;
  return plus([below, 1n], [fall, fall + last * one]);
}

/** Straight between its points: 0 in the middle of the capacity, and the share of the capacity at both ends. */
function penaltyOf({ imbalance }: FeeTerms, capacity: bigint): Penalty | null {
  if (imbalance === 0n || capacity <= 0n) return null;
  const steps = capacity < STEPS ? capacity : STEPS;
  const ends = Number(capacity * imbalance) / 1e6;
  const middle = Number(capacity) / 2;
  const exponent = Math.min((0.1 * middle) / ends, 10);
  const factor = ends / middle ** exponent;
  return Array.from({ length: Number(steps) + 1 }, (_, k) => {
    const balance = rounded(BigInt(k) * capacity, steps);
    const exact = factor * Math.abs(Number(balance) - middle) ** exponent;
    return { balance, penalty: nearest(exact) };
  });
}

/** The penalty at this balance. */
function at(penalty: Penalty | null, balance: bigint): Ratio {
  if (penalty === null) return [0n, 1n];
  const next = penalty.findIndex((point) => point.balance >= balance);
  const right = penalty[next];
  const left = penalty[next - 1];
  if (right === undefined || left === undefined) return [right?.penalty ?? 0n, 1n];
  const wide = right.balance - left.balance;
  const part = balance - left.balance;
  return [left.penalty * (wide - part) + right.penalty * part, wide];
}

const plus = ([a, b]: Ratio, [c, d]: Ratio): Ratio =>
  b === d ? [a + c, b] : [a * d + c * b, b * d];
const minus = (one: Ratio, [c, d]: Ratio): Ratio => plus(one, [-c, d]);
const isBelow = ([a]: Ratio): boolean => a <= 0n;
const isAbove = ([a, b]: Ratio, whole: bigint): boolean => a > whole * b;

/** The nearest whole number, of two the even one; `over` is above 0. */
function rounded(part: bigint, over: bigint): bigint {
  const floor = (part - (((part % over) + over) % over)) / over;
  const twice = 2n * (part - floor * over);
  const isUp = twice > over || (twice === over && floor % 2n !== 0n);
  return isUp ? floor + 1n : floor;
}

function nearest(value: number): bigint {
  const floor = Math.floor(value);
  const rest = value - floor;
  return BigInt(rest > 0.5 || (rest === 0.5 && floor % 2 !== 0) ? floor + 1 : floor);
}
