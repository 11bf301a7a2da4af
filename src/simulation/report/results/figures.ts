/** Figures that are computed from a run. */
import { countOf, duration, percent, plain, toNumber } from './numbers.ts';
import type { ChannelResult, NodeResult, RunResult, SeriesPoint } from './result.ts';
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

function sharesOf(sides: readonly (readonly [bigint, bigint])[]): number[] {
  return sides.filter(([a, b]) => a + b > 0n).map(([a, b]) => shareOf(a < b ? a : b, a + b));
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
  readonly write: (value: number) => string;
  /** Text beside the figure. */
  readonly note: string;
};

/** The same figures in the same order for every run. */
export function keyFigures(result: RunResult): Figure[] {
  return [...paymentFigures(result), ...moneyFigures(result), ...costFigures(result)];
}

function paymentFigures(result: RunResult): Figure[] {
  const { started, succeeded } = result.payments;
  const { latencyBlocks, latencyMs, lockSlackBlocks } = result.histograms;
  const p99 = quantile(latencyBlocks, 0.99);
  const inMs = (value: number) => `${plain(value, 0)} ms`;
  const inBlocks = (value: number) => countOf(value, 'block');
  return [
    {
      name: 'Payments that arrived',
      value: successRate(result),
      write: percent,
      note: `${plain(succeeded)} of ${plain(started)} started`,
    },
    {
      name: 'Median latency',
      value: quantile(latencyBlocks, 0.5),
      write: inBlocks,
      note: p99 === null ? 'none arrived' : `99 % within ${inBlocks(p99)}`,
    },
    {
      name: 'Median latency in time',
      value: quantile(latencyMs, 0.5),
      write: inMs,
      note: 'of the network itself, not of the machine that simulates',
    },
    {
      name: 'Least lock slack',
      value: quantile(lockSlackBlocks, 0),
      write: inBlocks,
      note: `danger below ${result.dangerSlackBlocks}`,
    },
  ];
}

function moneyFigures(result: RunResult): Figure[] {
  const { token, nodes } = result;
  const write = (value: number) => `${plain(value, 4)} ${token.symbol}`;
  const earners = nodes.filter(({ feesEarned }) => feesEarned > 0n);
  const cheats = earners.filter(({ isHonest }) => !isHonest).length;
  const lost = honestLoss(result);
  const losers = nodes.filter(({ isHonest, loss }) => isHonest && loss > 0n).length;
  const payers = nodes.filter(({ feesPaid }) => feesPaid > 0n).length;
  const { begin, end } = imbalances(result.channels);
  return [
    {
      name: 'Lost by honest nodes',
      value: toNumber(lost, token),
      write,
      note: lost === 0n ? 'nothing is missing' : `by ${countOf(losers, 'node')}`,
    },
    {
      name: 'Fees earned',
      value: toNumber(sum(nodes.map((node) => node.feesEarned)), token),
      write,
      note: `by ${countOf(earners.length, 'node')}${cheats > 0 ? `, ${countOf(cheats, 'cheat')} among them` : ''}`,
    },
    {
      name: 'Fees paid',
      value: toNumber(sum(nodes.map((node) => node.feesPaid)), token),
      write,
      note: `by ${countOf(payers, 'node')}; what mediators did not take went to payees`,
    },
    {
      name: 'Money in locks',
      value: lockedBy(nodes) / 10 ** token.decimals,
      write: (value) => `${plain(value, 4)} ${token.symbol} × blocks`,
      note: 'each amount times the blocks until its lock ended',
    },
    {
      name: 'Imbalance of the channels',
      value: end,
      write: percent,
      note: begin === null ? 'in the end' : `in the end; ${percent(begin)} in the beginning`,
    },
  ];
}

function costFigures(result: RunResult): Figure[] {
  const { succeeded } = result.payments;
  const { transactions, gas } = gasOf(result);
  const messages = messagesOf(result);
  const perPayment = (value: number) => (succeeded === 0 ? null : value / succeeded);
  return [
    {
      name: 'Gas per payment',
      value: perPayment(gas),
      write: (value) => plain(value, 0),
      note: `${countOf(transactions, 'transaction')} in all`,
    },
    {
      name: 'Messages per payment',
      value: perPayment(messages),
      write: (value) => plain(value),
      note: `${plain(messages, 0)} in all`,
    },
    {
      name: 'Simulated time',
      value: result.virtualMs,
      write: duration,
      note: `${countOf(result.blocks, 'block')} in ${duration(result.wallMs)}`,
    },
  ];
}

/** A range of blocks; `toBlock` is where the next begins. */
export type Stretch = Omit<SeriesPoint, 'latencyBlocksP50'> & { readonly toBlock: number };

/** The series with neighbouring points put together, so that there are at most `most` stretches. */
export function stretches({ series, blocks }: RunResult, most = 240): Stretch[] {
  const size = Math.max(1, Math.ceil(series.length / most));
  const found: Stretch[] = [];
  for (let at = 0; at < series.length; at += size) {
    const [first, ...others] = series.slice(at, at + size);
    if (first === undefined) break;
    const toBlock = series[at + size]?.block ?? Math.max(blocks, first.block + 1);
    found.push({ ...others.reduce(together, first), block: first.block, toBlock });
  }
  return found;
}

function together(a: SeriesPoint, b: SeriesPoint): SeriesPoint {
  return {
    ...b,
    started: a.started + b.started,
    succeeded: a.succeeded + b.succeeded,
    failed: a.failed + b.failed,
    messages: a.messages + b.messages,
    payloads: a.payloads + b.payloads,
    transactions: a.transactions + b.transactions,
    gasUsed: a.gasUsed + b.gasUsed,
    pendingLocks: b.pendingLocks ?? a.pendingLocks,
    capacity: b.capacity ?? a.capacity,
    imbalance: b.imbalance ?? a.imbalance,
  };
}
