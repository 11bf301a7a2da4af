/** A run in a few figures: this is all that is kept of each run when there are thousands. */

import {
  depletedShare,
  imbalances,
  lockedBy,
  successRate,
  sum,
} from '../report/results/figures.ts';
import type { RunResult, Verdict, Violation } from '../report/results/result.ts';
import { quantile } from '../report/results/statistics.ts';

/** The text in place of a value when an expectation had nothing to measure. */
export const NOTHING_TO_MEASURE = 'nothing to measure';

export type Summary = {
  seed: number;
  verdict: Verdict;
  /** The program itself failed, and only its error is known. */
  hasCrashed: boolean;
  violation: Violation | null;
  /** Expectations that are not met. */
  unmet: readonly { text: string; actual: string }[];
  /** Empty when the program failed. */
  trace: string;
  steps: number;
  blocks: number;
  payments: number;
  /** Number of faults that struck. */
  faults: number;
  wallMs: number;
  figures: Figures;
};

/** Null: there was nothing to measure. Amounts in the token's smallest unit. */
export type Figures = {
  /** Share of successes among the payments that were started: 0 to 1. */
  successRate: number | null;
  latencyBlocksP50: number | null;
  latencyBlocksP99: number | null;
  /** Per payment that arrived. */
  messagesPerPayment: number | null;
  gasPerPayment: number | null;
  /** Share of the open channels in which one side has less than 1 %. */
  depletedChannels: number | null;
  /** Mean over the open channels at the end: 0: both sides own the same, 1: one side owns all. */
  imbalance: number | null;
  feeIncome: bigint;
  /** What honest payers paid beyond the amounts of their payments. */
  feesPaid: bigint;
  /** What honest nodes, and dishonest ones, locked: amounts times blocks. */
  honestLocked: number;
  attackerLocked: number;
  honestLoss: bigint;
  /** How much more dishonest nodes own than before, payments to them included; negative: less. */
  attackerGain: bigint;
  /**
   * Who pays for an attack, all cheats together: gas that they spent, and that they made honest nodes spend beyond what those
   * owed to themselves or were paid for; and the same of what waited in locks of their payments, amounts times blocks.
   */
  attackerGas: number;
  victimGas: number;
  attackerWaiting: number;
  victimWaiting: number;
};

const NO_FIGURES: Figures = {
  successRate: null,
  latencyBlocksP50: null,
  latencyBlocksP99: null,
  messagesPerPayment: null,
  gasPerPayment: null,
  depletedChannels: null,
  imbalance: null,
  feeIncome: 0n,
  feesPaid: 0n,
  honestLocked: 0,
  attackerLocked: 0,
  honestLoss: 0n,
  attackerGain: 0n,
  attackerGas: 0,
  victimGas: 0,
  attackerWaiting: 0,
  victimWaiting: 0,
};

/** `wallMs`: the real time that the run took. */
export function summaryOf(result: RunResult, wallMs: number): Summary {
  const { seed, verdict, violation, trace, steps, blocks, payments, faults } = result;
  return {
    seed,
    verdict,
    hasCrashed: false,
    violation,
    trace,
    steps,
    blocks,
    wallMs,
    unmet: result.expectations.filter(({ isMet }) => !isMet),
    payments: payments.started,
    faults: faults.length,
    figures: figuresOf(result),
  };
}

/** The summary of a run in which the program itself failed; `text`: its error. */
export function crashSummary(seed: number, text: string, wallMs: number): Summary {
  return {
    seed,
    verdict: 'failed',
    hasCrashed: true,
    trace: '',
    steps: 0,
    blocks: 0,
    violation: {
      invariant: 'the program goes on',
      step: 0,
      block: 0,
      node: null,
      lost: null,
      text,
      lastEvents: [],
    },
    payments: 0,
    faults: 0,
    unmet: [],
    wallMs,
    figures: NO_FIGURES,
  };
}

/** What went wrong, without where and how much: two runs that fail in the same way give the same text. */
export function failureOf({ verdict, hasCrashed, violation, unmet }: Summary): string | null {
  if (verdict !== 'failed') return null;
  if (hasCrashed) return violation?.text.split('\n')[0] ?? 'the program failed';
  const [first] = unmet;
  if (violation !== null || first === undefined) return violation?.invariant ?? null;
  // A run in which nothing could be measured is not a smaller form of one with a bad value.
  return first.actual === NOTHING_TO_MEASURE ? `${first.text}: ${first.actual}` : first.text;
}

/** What the figures of a run are computed from. */
export type Counted = Pick<RunResult, 'channels' | 'cheats' | 'nodes' | 'payments' | 'series'> & {
  histograms: Pick<RunResult['histograms'], 'latencyBlocks' | 'lockSlackBlocks'>;
};

export function figuresOf(result: Counted): Figures {
  const { nodes, channels, payments, series, histograms, cheats } = result;
  const honest = nodes.filter(({ isHonest }) => isHonest);
  const others = nodes.filter(({ isHonest }) => !isHonest);
  const perPayment = (total: number) =>
    payments.succeeded === 0 ? null : total / payments.succeeded;
  return {
    successRate: successRate(result),
    latencyBlocksP50: quantile(histograms.latencyBlocks, 0.5),
    latencyBlocksP99: quantile(histograms.latencyBlocks, 0.99),
    messagesPerPayment: perPayment(count(series.map(({ messages }) => messages))),
    gasPerPayment: perPayment(count(series.map(({ gasUsed }) => gasUsed))),
    depletedChannels: depletedShare(channels),
    imbalance: imbalances(channels).end,
    feeIncome: sum(honest.map(({ feesEarned }) => feesEarned)),
    feesPaid: sum(honest.map(({ feesPaid }) => feesPaid)),
    honestLocked: lockedBy(honest),
    attackerLocked: lockedBy(others),
    honestLoss: sum(honest.map(({ loss }) => loss)),
    attackerGain: sum(others.map((node) => node.wealthAfter - node.wealthBefore)),
    attackerGas: count(cheats.map(({ gasSpent }) => gasSpent)),
    victimGas: count(cheats.map(({ gasCaused, gasAllowed }) => gasCaused - gasAllowed)),
    attackerWaiting: count(cheats.map(({ waiting }) => waiting.spent)),
    victimWaiting: count(cheats.map(({ waiting }) => waiting.caused)),
  };
}

function count(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** The mean; null when there are no values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : count(values) / values.length;
}
