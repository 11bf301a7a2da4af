/** The balances of a channel over the known steps. */

import { applyPatch } from '../../../inspector/replay/patch.ts';
import type { ActorHistory, Patch, StepRecords } from '../../../inspector/wire.ts';
import { bigintAt, fieldOf } from '../../base/fields.ts';

/** The balances after the step `seq`. `own` includes the locks that this node has given, `free` does not. */
export type BalancePoint = {
  seq: number;
  block: bigint;
  time: number;
  own: bigint;
  free: bigint;
  partner: bigint;
};

/**
 * One point for each step that changed a balance, and one for the newest step. Steps after which the context is
 * unknown have none.
 */
export function balancePoints(
  base: ActorHistory['base'],
  steps: readonly StepRecords[],
): BalancePoint[] {
  const points: BalancePoint[] = [];
  let ends = endsOf(base?.context);
  for (const step of steps) {
    ends = step.reduce<unknown>(endsAfter, ends);
    const first = step[0];
    const balances = balancesOf(ends);
    if (first === undefined || balances === null) continue;
    const { seq, block, time } = first;
    const point = { seq, block, time, ...balances };
    const last = points.at(-1);
    const isSame =
      last?.own === point.own && last.free === point.free && last.partner === point.partner;
    if (!isSame || step === steps.at(-1)) points.push(point);
  }
  return points;
}

/** The parts of a channel's context that balances are computed from; null for other contexts. */
function endsOf(context: unknown): unknown {
  const [ownEnd, partnerEnd] = [fieldOf(context, 'ownEnd'), fieldOf(context, 'partnerEnd')];
  return ownEnd === undefined || partnerEnd === undefined ? null : { ownEnd, partnerEnd };
}

function endsAfter(ends: unknown, record: StepRecords[number]): unknown {
  if (record.kind === 'spawn') return endsOf(record.context);
  if (record.kind === 'gap') return null;
  if (record.kind !== 'transition' || ends === null) return ends;
  return applyPatch(ends, aboutEnds(record.patch));
}

function aboutEnds(patch: Patch): Patch {
  return patch.filter(({ path }) => /^\/(ownEnd|partnerEnd)(\/|$)/.test(path));
}

function balancesOf(ends: unknown): Pick<BalancePoint, 'own' | 'free' | 'partner'> | null {
  const own = sideOf(fieldOf(ends, 'ownEnd'));
  const partner = sideOf(fieldOf(ends, 'partnerEnd'));
  if (own === null || partner === null) return null;
  const balance = own.kept - own.transferred + partner.transferred;
  return {
    own: balance,
    free: balance - own.locked,
    partner: partner.kept - partner.transferred + own.transferred,
  };
}

/** `kept`: the deposit less what is withdrawn or promised to be. */
function sideOf(end: unknown) {
  const [deposit, withdrawn] = [bigintAt(end, 'deposit'), bigintAt(end, 'withdrawn')];
  const [transferred, locked] = [bigintAt(end, 'transferred'), bigintAt(end, 'locked')];
  if (deposit === null || withdrawn === null || transferred === null || locked === null)
    return null;
  const asked = fieldOf(end, 'withdraws');
  const promised = bigintAt(Array.isArray(asked) ? asked.at(-1) : null, 'totalWithdraw') ?? 0n;
  const out = promised > withdrawn ? promised : withdrawn;
  return { kept: deposit - out, transferred, locked };
}

export type AmountScale = { top: bigint; ticks: readonly bigint[] };

const TICKS = 4n;

/** The scale of the amounts: from 0 to `top`, which no amount exceeds, with ticks at round amounts. */
export function scaleOf(amounts: readonly bigint[]): AmountScale {
  const largest = amounts.reduce((most, amount) => (amount > most ? amount : most), 1n);
  const step = roundStep(largest, TICKS);
  const count = Number((largest + step - 1n) / step);
  const ticks = Array.from({ length: count + 1 }, (_, n) => BigInt(n) * step);
  return { top: BigInt(count) * step, ticks };
}

/** The smallest distance between ticks, 1, 2 or 5 times a power of ten, with which `most` of them reach so far. */
export function roundStep(length: bigint, most: bigint): bigint {
  for (let power = 1n; ; power *= 10n) {
    const step = [1n, 2n, 5n].map((n) => n * power).find((n) => length / n <= most);
    if (step !== undefined) return step;
  }
}

/** How high the amount is on the scale, from 0 to 1: for drawing only. */
export function heightOn(amount: bigint, { top }: AmountScale): number {
  return Number((amount * FINENESS) / top) / Number(FINENESS);
}

const FINENESS = 1_000_000n;
