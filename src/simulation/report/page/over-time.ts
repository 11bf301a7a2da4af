/** Panels about the course of a run, over its blocks. */

import { groupDigits } from '../../../basics/digits.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import { type Stretch, stretches } from '../results/figures.ts';
import { compact, countOf, percent, plain, toNumber } from '../results/numbers.ts';
import type { FaultPeriod, RunResult } from '../results/result.ts';
import { type Band, type Chart, drawChart } from './chart.ts';
import type { Markup } from './markup.ts';
import { drawnPanel, table } from './panel.ts';
import { roundTop } from './scale.ts';

/** The most faults with a line of their own above the drawing; with more, the others share one line. */
const LANES = 4;
/** The most stretches that are drawn, so that each has some pixels even on a phone. */
const MOST = { whole: 240, half: 120 } as const;
const OTHERS = 'other faults';

/** `title`: of the panel; `value`: null where nothing was measured. */
type Course = {
  readonly title: string;
  readonly value: (stretch: Stretch) => number | null;
  readonly write: (value: number) => string;
  readonly top?: number;
  readonly bottom?: number;
  readonly isFilled?: boolean;
};

/** The large drawing of a report: the success rate over time, and the faults at that time. */
export function successPanel(result: RunResult): Markup {
  const rates = stretches(result).map(rateOf);
  const least = rates.reduce<number>((found, rate) => Math.min(found, rate ?? 1), 1);
  const bottom = least >= 0.95 ? 0.9 : least >= 0.6 ? 0.5 : 0;
  const course = {
    title: 'Payments that arrived, of those that ended',
    value: rateOf,
    write: percent,
    top: 1,
    bottom,
    isFilled: bottom === 0,
  };
  return coursePanel(course, result, {
    size: 'whole',
    bands: bandsOf(result.faults),
    summary: successWords(result),
    table: seriesTable(result),
  });
}

export function coursePanels(result: RunResult) {
  const { token } = result;
  const panelOf = (course: Course) =>
    coursePanel(course, result, {
      size: 'half',
      bands: [],
      table: null,
      summary: courseWords(course, result),
    });
  return {
    started: panelOf({
      title: 'Payments started per block',
      write: compact,
      value: ({ started, block, toBlock }) => started / (toBlock - block),
    }),
    locks: panelOf({
      title: 'Locks in flight',
      write: compact,
      value: ({ pendingLocks }) => pendingLocks,
    }),
    imbalance: panelOf({
      title: 'Imbalance of the channels',
      write: percent,
      top: 1,
      value: ({ imbalance }) => imbalance,
    }),
    capacity: panelOf({
      title: `Capacity of open channels, in ${token.symbol}`,
      write: compact,
      value: ({ capacity }) => (capacity === null ? null : toNumber(capacity, token)),
    }),
  };
}

type Extra = {
  size: keyof typeof MOST;
  summary: string;
  bands: readonly Band[];
  table: Markup | null;
};

function coursePanel(course: Course, result: RunResult, extra: Extra): Markup {
  const { title, write, isFilled = true } = course;
  const { size, bands, summary, table: values } = extra;
  const drawn = stretches(result, MOST[size]);
  const points = drawn.flatMap((stretch) => [
    { x: stretch.block, y: course.value(stretch) },
    { x: stretch.toBlock, y: course.value(stretch) },
  ]);
  const greatest = points.reduce((most, { y }) => Math.max(most, y ?? 0), 0);
  const chart: Chart = {
    label: `${title}. ${summary}`,
    height: size === 'whole' ? 300 : 210,
    x: {
      from: result.series[0]?.block ?? 0,
      to: result.blocks,
      label: 'block',
      format: (block) => groupDigits(block),
    },
    y: { from: course.bottom ?? 0, to: course.top ?? roundTop(greatest), label: '', format: write },
    line: { points, isFilled },
    bands,
    readouts: drawn.map((stretch) => {
      const value = course.value(stretch);
      const text = value === null ? 'none' : write(value);
      return { x: (stretch.block + stretch.toBlock) / 2, text: `${blocksText(stretch)}: ${text}` };
    }),
  };
  return drawnPanel({
    title,
    summary,
    legend: bands.length === 0 ? [] : [{ name: 'fault at work', ink: 'band' }],
    size,
    table: values,
    draw: (width) => drawChart(chart, width),
  });
}

function blocksText({ block, toBlock }: Stretch): string {
  if (toBlock - block <= 1) return `Block ${groupDigits(block)}`;
  return `Blocks ${groupDigits(block)}–${groupDigits(toBlock - 1)}`;
}

function rateOf({ succeeded, failed }: Pick<Stretch, 'succeeded' | 'failed'>): number | null {
  return succeeded + failed === 0 ? null : succeeded / (succeeded + failed);
}

/**
 * The faults in order of their first appearance, so that the drawing reads from the upper left; those that share a line
 * and a time are one.
 */
export function bandsOf(faults: readonly FaultPeriod[]): Band[] {
  const sorted = faults.toSorted((a, b) => a.fromBlock - b.fromBlock);
  const names = [...new Set(sorted.map(({ name }) => name))];
  const own = names.length <= LANES ? names : names.slice(0, LANES - 1);
  const lanes = new Map<number, Band[]>();
  for (const { name, fromBlock: from, toBlock: to } of sorted) {
    const at = own.indexOf(name);
    const lane = at < 0 ? own.length : at;
    const bands = getOrMake(lanes, lane, () => []);
    const before = bands.at(-1);
    if (before === undefined || from > before.to)
      bands.push({ name: at < 0 ? OTHERS : name, lane, from, to });
    else bands[bands.length - 1] = { ...before, to: Math.max(before.to, to) };
  }
  return [...lanes.values()].flat().sort((a, b) => a.from - b.from);
}

/** Over the whole run, of the payments that ended. */
function successOf({ series }: RunResult): number | null {
  const total = (of: 'succeeded' | 'failed') => series.reduce((sum, point) => sum + point[of], 0);
  const ended = { succeeded: total('succeeded'), failed: total('failed') };
  return rateOf(ended);
}

function successWords(result: RunResult): string {
  const rate = successOf(result);
  if (rate === null) return 'No payment ended.';
  const worst = stretches(result)
    .map((stretch) => ({ stretch, rate: rateOf(stretch) ?? 1 }))
    .reduce<{ stretch: Stretch; rate: number } | null>(
      (found, next) => (found === null || next.rate < found.rate ? next : found),
      null,
    );
  if (worst === null || worst.rate >= rate) return `${percent(rate)} from beginning to end.`;
  return `${percent(rate)} in all; the worst stretch was ${percent(worst.rate)} in ${blocksText(worst.stretch).toLowerCase()}.`;
}

function courseWords(course: Course, result: RunResult): string {
  const values = stretches(result, MOST.half).flatMap((stretch) => course.value(stretch) ?? []);
  const last = values.at(-1);
  if (last === undefined) return 'Nothing was measured.';
  const most = course.write(values.reduce((found, value) => Math.max(found, value), 0));
  return `${course.write(last)} at the end, ${most} at most.`;
}

function seriesTable({ series, token }: RunResult): Markup {
  const columns = ['Block', 'Started', 'Arrived', 'Failed', 'Median latency', 'Messages'];
  const others = ['Transactions', 'Gas', 'Locks', 'Imbalance', `Capacity (${token.symbol})`];
  // As many rows as a person reads; result.json has all.
  const rows = series.slice(0, 400).map((point) => ({
    cells: [
      ...[point.block, point.started, point.succeeded, point.failed].map((n) => groupDigits(n)),
      point.latencyBlocksP50 === null ? '–' : countOf(point.latencyBlocksP50, 'block'),
      ...[point.messages, point.transactions, point.gasUsed].map((n) => groupDigits(n)),
      point.pendingLocks === null ? '–' : groupDigits(point.pendingLocks),
      point.imbalance === null ? '–' : percent(point.imbalance),
      point.capacity === null ? '–' : plain(toNumber(point.capacity, token), 2),
    ],
  }));
  const heads = [...columns, ...others].map((name) => ({ name, isNumber: true }));
  return table('The run by blocks', heads, rows);
}
