/** Both sides of a channel as bars on one scale, and what older balance proofs would have paid. */
import type { Money, MoneySide, Payout, ProofPayout } from '../../../inspector/wire.ts';

export type MoneyPart = {
  kind: 'withdrawn' | 'reserved' | 'locked' | 'free';
  /** A negative amount of broken data is none. */
  amount: bigint;
  /** How much is before it. */
  start: bigint;
};
/** `scale`: what the whole bar stands for. */
export type SideBar = { parts: MoneyPart[]; deposit: bigint; scale: bigint };

export const PART_WORDS: Record<MoneyPart['kind'], string> = {
  withdrawn: 'withdrawn',
  reserved: 'promised withdrawal',
  locked: 'locked',
  free: 'free',
};

/**
 * The bars of both sides, cut into the amounts that are withdrawn, promised to be withdrawn, locked and free.
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
  let start = 0n;
  const parts = partsOf(side).map(([kind, given]): MoneyPart => {
    const amount = given > 0n ? given : 0n;
    const part = { kind, amount, start };
    start += amount;
    return part;
  });
  return { parts, deposit: side.deposit, scale };
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
