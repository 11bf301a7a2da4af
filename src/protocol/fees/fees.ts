/**
 * Mediation fees, in exact fractions: what a mediator passes on of what it gets, what it must get to pass
 * an amount on, what a whole path costs, and how much more than that an initiator sends. Source: protocol
 * section 6. Amounts in the token's smallest unit.
 */
import { type PenaltyCurve, penaltyAt } from './fee-curve.ts';
import {
  add,
  divide,
  multiply,
  type Rational,
  ratio,
  roundHalfEven,
  sign,
  subtract,
  whole,
} from './rational.ts';

/** What a mediator charges for the use of one of its channels, the same in both directions. */
export type FeeSchedule = {
  flat: bigint;
  /** Parts per million of the amount. */
  proportional: bigint;
  imbalancePenalty: PenaltyCurve | null;
  /** True: a fee is never negative, however much a transfer improves the balance of the channel. */
  capFees: boolean;
};

/** A mediator between the channel that a payment comes in by and the one that it goes out by. */
export type Mediation = {
  scheduleIn: FeeSchedule;
  scheduleOut: FeeSchedule;
  /** The mediator's balance in the incoming channel, pending locks not subtracted. */
  balanceIn: bigint;
  /** What the partner in the incoming channel can still send. */
  receivable: bigint;
  /** The mediator's balance in the outgoing channel, pending locks not subtracted. */
  balanceOut: bigint;
};

const MILLION = 1_000_000n;
/** Highest proportional fee per mediation, in parts per million: all of the amount. */
export const MAX_PROPORTIONAL_PPM = MILLION;

/** The flat fee of each of the two channels; an odd fee per mediation loses one unit. */
export function flatPerChannel(flatPerMediation: bigint): bigint {
  return flatPerMediation / 2n;
}

/** The proportional fee of each of the two channels so that both together make `ppm` per mediation. */
export function proportionalPerChannel(ppm: bigint): bigint {
  return roundHalfEven(ratio(MILLION * ppm, ppm + 2n * MILLION));
}

/**
 * What a mediator sends on of `amountWithFees`, or null when it cannot: nothing would be left, or one of
 * its channels is too small.
 */
export function amountWithoutFees(mediation: Mediation, amountWithFees: bigint): bigint | null {
  const points = feePoints(mediation, { amountWithFees });
  return points && positive(solve(points, (point) => lineForward(point, amountWithFees)));
}

/** What a mediator must get to send `amountWithoutFees` on, or null when it cannot. */
export function amountWithFees(mediation: Mediation, amountWithoutFees: bigint): bigint | null {
  const points = feePoints(mediation, { amountWithoutFees });
  return points && positive(solve(points, (point) => lineBackward(point, amountWithoutFees)));
}

type Given = { amountWithFees: bigint } | { amountWithoutFees: bigint };
/** The fee for both channels together when the amount that is not given is `amount`. */
export type FeePoint = { amount: Rational; fee: Rational };

/** Zero where the amount passed on and the fee make up what came in. */
function lineForward({ amount, fee }: FeePoint, given: bigint): Rational {
  return subtract(add(amount, fee), whole(given));
}

function lineBackward({ amount, fee }: FeePoint, given: bigint): Rational {
  return subtract(subtract(amount, fee), whole(given));
}

/**
 * The fee as a piecewise linear function of the amount that is not given: its corners, between which it is straight.
 * Null where the mediator cannot serve at all.
 */
export function feePoints(mediation: Mediation, given: Given): FeePoint[] | null {
  const { scheduleIn, scheduleOut, balanceOut, receivable } = mediation;
  if (balanceOut <= 0n || receivable <= 0n) return null;
  if (scheduleIn.capFees !== scheduleOut.capFees) return null;
  const isForward = 'amountWithFees' in given;
  const fixed = isForward
    ? feeIn(mediation, given.amountWithFees)
    : feeOut(mediation, given.amountWithoutFees);
  if (fixed === null) return null;
  const points: FeePoint[] = [];
  for (const amount of isForward ? cornersOut(mediation) : cornersIn(mediation)) {
    const fee = isForward ? feeOut(mediation, amount) : feeIn(mediation, amount);
    if (fee === null) return null;
    points.push({ amount: whole(amount), fee: add(fixed, fee) });
  }
  return scheduleIn.capFees ? capped(points) : points;
}

/** The fee for receiving `amount`; null for an amount that the channel, or its curve, does not allow. */
function feeIn({ scheduleIn, balanceIn, receivable }: Mediation, amount: bigint): Rational | null {
  if (amount < 0n || amount > receivable) return null;
  return channelFee(scheduleIn, amount, balanceIn, balanceIn + amount);
}

/** The fee for sending `amount` on; null for an amount that the channel, or its curve, does not allow. */
function feeOut({ scheduleOut, balanceOut }: Mediation, amount: bigint): Rational | null {
  if (amount < 0n || amount > balanceOut) return null;
  return channelFee(scheduleOut, amount, balanceOut, balanceOut - amount);
}

function channelFee(
  { flat, proportional, imbalancePenalty }: FeeSchedule,
  amount: bigint,
  balanceBefore: bigint,
  balanceAfter: bigint,
): Rational | null {
  const before = penaltyAt(imbalancePenalty, balanceBefore);
  const after = penaltyAt(imbalancePenalty, balanceAfter);
  if (before === null || after === null) return null;
  const base = ratio(flat * MILLION + proportional * amount, MILLION);
  return add(base, subtract(after, before));
}

/** Amounts between which the incoming fee is straight, ascending, as far as channel and curve reach. */
function cornersIn({ scheduleIn, balanceIn, receivable }: Mediation): bigint[] {
  const curve = scheduleIn.imbalancePenalty ?? [];
  return corners(
    curve.map(([balance]) => balance - balanceIn),
    receivable,
  );
}

/** Amounts between which the outgoing fee is straight, ascending, as far as channel and curve reach. */
function cornersOut({ scheduleOut, balanceOut }: Mediation): bigint[] {
  const curve = scheduleOut.imbalancePenalty ?? [];
  return corners(curve.map(([balance]) => balanceOut - balance).reverse(), balanceOut);
}

function corners(ascending: bigint[], limit: bigint): bigint[] {
  const last = ascending.at(-1) ?? limit;
  const end = last < limit ? last : limit;
  return [0n, ...ascending.filter((amount) => amount > 0n && amount < end), end];
}

/** The points with every fee at least 0, and a new point wherever the fee changes its sign. */
function capped(points: readonly FeePoint[]): FeePoint[] {
  const all = points.flatMap((point, at) => {
    const before = points[at - 1];
    if (before === undefined || sign(before.fee) * sign(point.fee) >= 0) return [point];
    return [{ amount: crossing(before, before.fee, point, point.fee), fee: whole(0n) }, point];
  });
  return all.map(({ amount, fee }) => ({ amount, fee: sign(fee) < 0 ? whole(0n) : fee }));
}

/** The amount at which the first straight piece of `gap` reaches 0, or null when none does. */
function solve(points: readonly FeePoint[], gap: (point: FeePoint) => Rational): Rational | null {
  let before: { point: FeePoint; gap: Rational } | null = null;
  for (const point of points) {
    const here = { point, gap: gap(point) };
    if (sign(here.gap) === 0) return point.amount;
    if (before !== null && sign(before.gap) !== sign(here.gap)) {
      return crossing(before.point, before.gap, here.point, here.gap);
    }
    before = here;
  }
  return null;
}

/** Where the line from `left` to `right` is 0; its values there have opposite signs. */
function crossing(left: FeePoint, atLeft: Rational, right: FeePoint, atRight: Rational): Rational {
  const share = divide(atLeft, subtract(atLeft, atRight));
  return add(left.amount, multiply(subtract(right.amount, left.amount), share));
}

function positive(amount: Rational | null): bigint | null {
  const rounded = amount === null ? 0n : roundHalfEven(amount);
  return rounded > 0n ? rounded : null;
}

export type PathEstimate = {
  /** What the initiator must send so that the target gets its amount, without a margin. */
  amountWithFees: bigint;
  /** Each mediator's fee in the order of the path; negative when the mediator pays for the transfer. */
  fees: bigint[];
  estimatedFee: bigint;
};

/**
 * What a path costs, from the target backwards: `mediations` in the order of the path, none for a direct
 * payment. The last hop is free, and so is the initiator's own channel. Null when one cannot serve.
 */
export function estimatePath(
  amount: bigint,
  mediations: readonly Mediation[],
): PathEstimate | null {
  const fees: bigint[] = [];
  let total = amount;
  for (const mediation of mediations.toReversed()) {
    const before = amountWithFees(mediation, total);
    if (before === null) return null;
    fees.unshift(before - total);
    total = before;
  }
  return { amountWithFees: total, fees, estimatedFee: total - amount };
}

/**
 * What an initiator adds to an estimated fee, because balances move while a payment is on its way: 3 % of
 * the fee and 0.05 % of the amount, rounded up; nothing where nothing is charged.
 */
export function feeMargin(amount: bigint, estimatedFee: bigint): bigint {
  if (estimatedFee === 0n) return 0n;
  const size = estimatedFee < 0n ? -estimatedFee : estimatedFee;
  return (60n * size + amount + 1999n) / 2000n;
}

/** What an initiator locks for a payment of `amount`: the amount, the fee and the margin. */
export function amountToSend(amount: bigint, estimatedFee: bigint): bigint {
  return amount + estimatedFee + feeMargin(amount, estimatedFee);
}

/** Whether a route may be used: not more than 20 % (rounded down) above the amount is sent. */
export function isFeeAcceptable(amount: bigint, sent: bigint): boolean {
  return sent <= amount + amount / 5n;
}
