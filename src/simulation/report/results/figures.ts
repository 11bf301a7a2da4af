/** Figures that are computed from a run. */
import { exactly, fromNumber, tokens, toNumber } from './numbers.ts';
import type { ChannelResult, NodeResult, RunResult } from './result.ts';
import {
  type Said,
  sayAmount,
  sayBlocks,
  sayCount,
  sayLatency,
  sayMean,
  sayShare,
  saySpan,
  type Words,
  within,
} from './said.ts';
import { mean, quantile, shareOf } from './statistics.ts';

/** The share of the payments that were started and arrived, from 0 to 1; null: none was started. */
export function successRate({ payments: { started, succeeded } }: Pick<RunResult, 'payments'>) {
  return started === 0 ? null : succeeded / started;
}

export function honestLoss({ nodes }: RunResult): bigint {
  return sum(nodes.filter(({ isHonest }) => isHonest).map(({ loss }) => loss));
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, amount) => all + amount, 0n);
}

export function gasOf({ transactionsByType }: RunResult): { transactions: number; gas: number } {
  let [transactions, gas] = [0, 0];
  for (const type of Object.values(transactionsByType)) {
    transactions += type.count;
    gas += type.gas;
  }
  return { transactions, gas };
}

/** Of each open channel that holds anything, the share of the side that owns less: 0 to 0.5. */
function leastShares(channels: readonly ChannelResult[]): number[] {
  return sharesOf(
    channels.flatMap(({ state, endA, endB }) => (state === 'open' ? [[endA, endB] as const] : [])),
  );
}

/** Whoever owns less has at least this share, if anything: a side that owns nearly all does not look as if it owned all. */
const LEAST_SHARE = 1e-12;

function sharesOf(sides: readonly (readonly [bigint, bigint])[]): number[] {
  return sides.flatMap(([a, b]) => {
    const least = a < b ? a : b;
    if (a + b === 0n) return [];
    return [least === 0n ? 0 : Math.max(LEAST_SHARE, shareOf(least, a + b))];
  });
}

/**
 * How one-sided channels are on average: 0: both sides own the same, 1: one side owns all; null: there are none. `begin`: of
 * those that the scenario began with, as they were then; `end`: of those that are open in the end.
 */
export function imbalances(channels: readonly ChannelResult[]) {
  const meanOf = (shares: readonly number[]) =>
    shares.length === 0 ? null : mean(shares.map((least) => 1 - 2 * least));
  const begins = channels.flatMap(({ beginA, beginB }) =>
    beginA === null || beginB === null ? [] : [[beginA, beginB] as const],
  );
  return { begin: meanOf(sharesOf(begins)), end: meanOf(leastShares(channels)) };
}

/** What nodes locked for as long as it waited, in the token's smallest unit times blocks. */
export function lockedBy(nodes: readonly NodeResult[]): number {
  return nodes.reduce((all, { lockedBlocks }) => all + lockedBlocks, 0);
}

/** Share of the open channels in which one side has less than 1 %; null: none is open. */
export function depletedShare(channels: readonly ChannelResult[]): number | null {
  const shares = leastShares(channels);
  return shares.length === 0 ? null : shares.filter((share) => share < 0.01).length / shares.length;
}

export function messagesOf({ messagesByType }: RunResult): number {
  return Object.values(messagesByType).reduce((all, count) => all + count, 0);
}

/** A figure that says how good a run was. `value` is null when nothing was measured. */
export type Figure = {
  readonly name: string;
  readonly value: number | null;
  /** Writes the value, or a mean of such values. */
  readonly write: (value: number) => string;
  /** The value with its claim and all of its digits. */
  readonly said: Said | null;
  /** Words beside the figure. */
  readonly note: Words;
};

/** The same figures in the same order for every run. */
export function keyFigures(result: RunResult): Figure[] {
  return [...paymentFigures(result), ...moneyFigures(result), ...costFigures(result)];
}

function figure(
  name: string,
  value: number | null,
  say: (value: number) => Said,
  note: Words,
): Figure {
  const said = value === null ? null : say(value);
  return { name, value, write: (any) => say(any).text, said, note };
}

function paymentFigures(result: RunResult): Figure[] {
  const { started, succeeded } = result.payments;
  const { latencyBlocks, latencyMs, lockSlackBlocks } = result.histograms;
  const p99 = quantile(latencyBlocks, 0.99);
  return [
    figure(
      'Payments that arrived',
      successRate(result),
      (value) => sayShare('payments/success', value),
      [
        sayCount('payments/succeeded', succeeded),
        ' of ',
        sayCount('payments/started', started),
        ' started',
      ],
    ),
    figure(
      'Median latency',
      quantile(latencyBlocks, 0.5),
      (value) => sayLatency('latency_blocks/p50', value),
      p99 === null ? ['none arrived'] : ['99 % ', ...within(sayLatency('latency_blocks/p99', p99))],
    ),
    figure(
      'Median latency in time',
      quantile(latencyMs, 0.5),
      (value) => saySpan('latency_ms/p50', value),
      ['of the network itself, not of the machine that simulates'],
    ),
    figure(
      'Least lock slack',
      quantile(lockSlackBlocks, 0),
      (value) => sayBlocks('lock_slack/p0', value),
      ['danger below ', sayCount('run/danger_slack', result.dangerSlackBlocks)],
    ),
  ];
}

function moneyFigures(result: RunResult): Figure[] {
  const { nodes, channels } = result;
  const earners = nodes.filter(({ feesEarned }) => feesEarned > 0n);
  const cheats = earners.filter(({ isHonest }) => !isHonest).length;
  const losers = nodes.filter(({ isHonest, loss }) => isHonest && loss > 0n).length;
  const payers = nodes.filter(({ feesPaid }) => feesPaid > 0n).length;
  const { begin, end } = imbalances(channels);
  const countIn = (of: string, count: number, one = 'node') => sayCount(of, count, one);
  return [
    amountFigure('Lost by honest nodes', 'nodes/honest_loss', honestLoss(result), result, [
      ...(losers === 0 ? ['nothing is missing'] : ['by ', countIn('nodes/losers', losers)]),
    ]),
    amountFigure(
      'Fees earned',
      'nodes/fees_earned',
      sum(nodes.map(({ feesEarned }) => feesEarned)),
      result,
      [
        ...['by ', countIn('nodes/earners', earners.length)],
        ...(cheats > 0
          ? [', ', countIn('nodes/earning_cheats', cheats, 'cheat'), ' among them']
          : []),
      ],
    ),
    amountFigure(
      'Fees paid',
      'nodes/fees_paid',
      sum(nodes.map(({ feesPaid }) => feesPaid)),
      result,
      [...['by ', countIn('nodes/payers', payers), '; what mediators did not take went to payees']],
    ),
    lockedFigure(result),
    figure('Imbalance of the channels', end, (value) => sayShare('channels/imbalance', value), [
      'in the end',
      ...(begin === null
        ? []
        : ['; ', sayShare('channels/imbalance_begin', begin), ' in the beginning']),
    ]),
  ];
}

function amountFigure(
  name: string,
  of: string,
  amount: bigint,
  { token }: RunResult,
  note: Words,
): Figure {
  return {
    name,
    value: toNumber(amount, token),
    write: (value) => tokens(fromNumber(value, token), token),
    said: sayAmount(of, amount, token),
    note,
  };
}

function lockedFigure({ nodes, token }: RunResult): Figure {
  const locked = BigInt(Math.round(lockedBy(nodes)));
  const textOf = (amount: bigint) => `${tokens(amount, token)} × blocks`;
  const claim = { of: 'nodes/locked_blocks', value: locked, unit: 'token-blocks' } as const;
  return {
    name: 'Money in locks',
    value: toNumber(locked, token),
    write: (value) => textOf(fromNumber(value, token)),
    said: { ...claim, text: textOf(locked), exact: exactly(locked) },
    note: ['each amount times the blocks until its lock ended'],
  };
}

function costFigures(result: RunResult): Figure[] {
  const { succeeded } = result.payments;
  const { transactions, gas } = gasOf(result);
  const messages = messagesOf(result);
  const perPayment = (value: number) => (succeeded === 0 ? null : value / succeeded);
  return [
    figure('Gas per payment', perPayment(gas), (value) => sayMean('payments/gas', value, 0), [
      sayCount('transactions/count', transactions, 'transaction'),
      ' in all',
    ]),
    figure(
      'Messages per payment',
      perPayment(messages),
      (value) => sayMean('payments/messages', value),
      [sayCount('messages/count', messages), ' in all'],
    ),
    figure('Simulated time', result.virtualMs, (value) => saySpan('run/time', value), [
      ...[sayBlocks('run/blocks', result.blocks), ' in ', saySpan('run/wall', result.wallMs)],
    ]),
  ];
}
