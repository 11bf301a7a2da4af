/** Both sides of a channel as bars on one scale, and what older balance proofs would have paid. */
import type { Money, MoneySide, Payout, ProofPayout } from '../../../inspector/wire.ts';
import { permille } from '../../../page-parts/digits.ts';

export type MoneyPart = {
  kind: 'withdrawn' | 'reserved' | 'locked' | 'free';
  amount: bigint;
  /** Thousandths of the scale. */
  start: number;
  width: number;
};
/** `depositAt`: the place of the side's deposit, in thousandths of the scale. */
export type SideBar = { parts: MoneyPart[]; depositAt: number };

export const PART_WORDS: Record<MoneyPart['kind'], string> = {
  withdrawn: 'withdrawn',
  reserved: 'promised withdrawal',
  locked: 'locked',
  free: 'free',
};

/**
 * The bars of both sides, cut into the amounts that are withdrawn, promised to be withdrawn, locked and free. When
 * the channel's data is broken a part may be negative; it then has no width.
 */
export function sideBars({ own, partner }: Pick<Money, 'own' | 'partner'>): [SideBar, SideBar] {
  const ends = [own, partner].flatMap((side) => [side.deposit, sumOf(side)]);
  const scale = ends.reduce((most, end) => (end > most ? end : most), 0n);
  return [barOf(own, scale), barOf(partner, scale)];
}

function partsOf(side: MoneySide): [MoneyPart['kind'], bigint][] {
  const { withdrawn, reserved, locked, balance } = side;
  return [
    ['free', balance - locked],
    ['locked', locked],
    ['reserved', reserved],
    ['withdrawn', withdrawn],
  ];
}

function sumOf(side: MoneySide): bigint {
  return partsOf(side).reduce((sum, [, amount]) => (amount > 0n ? sum + amount : sum), 0n);
}

function barOf(side: MoneySide, scale: bigint): SideBar {
  let reached = 0n;
  const parts = partsOf(side).map(([kind, amount]): MoneyPart => {
    const start = permille(reached, scale);
    if (amount > 0n) reached += amount;
    return { kind, amount, start, width: permille(reached, scale) - start };
  });
  return { parts, depositAt: permille(side.deposit, scale) };
}

/**
 * Both sides of the equation that must be true to the unit. `missing`: deposits less all amounts that are accounted
 * for.
 */
export function conservation({ own, partner }: Pick<Money, 'own' | 'partner'>) {
  const balances = own.balance + partner.balance;
  const withdrawn = own.withdrawn + partner.withdrawn;
  const reserved = own.reserved + partner.reserved;
  const deposits = own.deposit + partner.deposit;
  return {
    balances,
    withdrawn,
    reserved,
    deposits,
    missing: deposits - balances - withdrawn - reserved,
  };
}

/** `difference`: what this node is paid at the settlement, less what the newest proofs would pay. */
export type WhatIf = ProofPayout & { difference: bigint; verdict: 'gain' | 'loss' | 'same' };

export function whatIf(proof: ProofPayout, closedNow: Payout): WhatIf {
  const difference = proof.payout.own - closedNow.own;
  const verdict = difference > 0n ? 'gain' : difference < 0n ? 'loss' : 'same';
  return { ...proof, difference, verdict };
}

export const VERDICTS = {
  gain: { mark: '▲', word: 'gain' },
  loss: { mark: '▼', word: 'loss' },
  same: { mark: '=', word: 'the same' },
};
