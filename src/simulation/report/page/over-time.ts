/** Panels about the course of a run, over its blocks. */
import { groupDigits } from '../../../basics/digits.ts';
import type { FigureUnit } from '../../../basics/figure.ts';
import { getOrMake } from '../../../basics/get-or-make.ts';
import { compact, percent } from '../results/numbers.ts';
import type { FaultPeriod, RunResult, SeriesPoint, Token } from '../results/result.ts';
import {
  type Said,
  sayAmount,
  sayBare,
  sayBlock,
  sayCount,
  sayLatency,
  sayMean,
  sayShare,
  textOf,
  type Words,
} from '../results/said.ts';
import type { Band } from './bands.ts';
import { type Chart, drawChart } from './chart.ts';
import type { Markup } from './markup.ts';
import { drawnPanel, type Row, table } from './panel.ts';
import { roundTop } from './scale.ts';

/** The most faults with a line of their own above the drawing; with more, the others share one line. */
const LANES = 4;
const OTHERS = 'other faults';

/** A point of the series with where the next begins. */
type Stretch = SeriesPoint & { readonly toBlock: number };

/** `of`: what the course is claimed to be. */
type Course = {
  readonly of: string;
  readonly title: string;
  readonly unit: FigureUnit;
  /** Null where nothing was measured. */
  readonly value: (stretch: Stretch) => number | bigint | null;
  readonly say: (of: string, value: number | bigint) => Said;
  /** Writes a value of the axis. */
  readonly write: (value: number) => string;
  readonly isWhole?: boolean;
  readonly top?: number;
  readonly bottom?: number;
};

function stretches({ series, blocks }: RunResult): Stretch[] {
  return series.map((point, at) => ({
    ...point,
    toBlock: series[at + 1]?.block ?? Math.max(blocks, point.block + 1),
  }));
}

/** The large drawing of a report: the success rate over time, and the faults at that time. */
export function successPanel(result: RunResult): Markup {
  const rates = stretches(result).map(rateOf);
  const least = rates.reduce<number>((found, rate) => Math.min(found, rate ?? 1), 1);
  const course = {
    of: 'series/success',
    title: 'Payments that arrived, of those that ended',
    value: rateOf,
    ...SHARED,
    bottom: least >= 0.95 ? 0.9 : least >= 0.6 ? 0.5 : 0,
  };
  return coursePanel(course, result, {
    size: 'whole',
    bands: bandsOf(result.faults),
    summary: successWords(result),
    table: seriesTable(result),
  });
}

const SHARED = {
  unit: 'share',
  top: 1,
  write: percent,
  say: (of: string, value: number | bigint) => sayShare(of, Number(value)),
} as const;
const COUNTED = {
  unit: 'count',
  write: compact,
  say: (of: string, value: number | bigint) => sayMean(of, Number(value), 2),
} as const;

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
      ...{ of: 'series/started', title: 'Payments started per block', ...COUNTED },
      value: ({ started, block, toBlock }) => started / (toBlock - block),
    }),
    locks: panelOf({
      ...{ of: 'series/locks', title: 'Locks in flight', ...COUNTED, isWhole: true },
      value: ({ pendingLocks }) => pendingLocks,
    }),
    imbalance: panelOf({
      ...{ of: 'series/imbalance', title: 'Imbalance of the channels', ...SHARED },
      value: ({ imbalance }) => imbalance,
    }),
    capacity: panelOf(capacityCourse(token)),
  };
}

/** The axis is in the smallest unit, so that what is drawn is what was counted. */
function capacityCourse(token: Token): Course {
  return {
    of: 'series/capacity',
    title: `Capacity of open channels, in ${token.symbol}`,
    unit: 'token',
    value: ({ capacity }) => capacity,
    say: (of, value) => sayAmount(of, BigInt(value), token),
    write: (value) => compact(value / 10 ** token.decimals),
  };
}

type Extra = {
  size: 'whole' | 'half';
  summary: Words;
  bands: readonly Band[];
  table: Markup | null;
};

function coursePanel(course: Course, result: RunResult, extra: Extra): Markup {
  const { of, title, unit, write, isWhole = false } = course;
  const { size, bands, summary, table: values } = extra;
  const drawn = stretches(result).map((stretch) => ({ stretch, value: course.value(stretch) }));
  const points = drawn.flatMap(({ stretch: { block, toBlock }, value }) =>
    [block, toBlock].map((x) => (value === null ? null : pointOf(x, value))),
  );
  const greatest = points.reduce((most, point) => Math.max(most, point?.y ?? 0), 0);
  const isFilled = (course.bottom ?? 0) === 0;
  const readouts = drawn.map(({ stretch, value }) => ({
    x: (stretch.block + stretch.toBlock) / 2,
    words: [
      `${blocksText(stretch)}: `,
      value === null ? 'none' : { ...course.say(of, value), at: `block:${stretch.block}` },
    ],
  }));
  const chart: Chart = {
    name: of,
    label: `${title}. ${textOf(summary)}`,
    height: size === 'whole' ? 300 : 210,
    x: {
      from: result.series[0]?.block ?? 0,
      to: drawn.at(-1)?.stretch.toBlock ?? Math.max(1, result.blocks),
      ...{ label: 'block', unit: 'block', isWhole: true, hasEnd: true },
      format: (block) => groupDigits(block),
    },
    y: {
      ...{ from: course.bottom ?? 0, to: course.top ?? roundTop(greatest), label: '' },
      ...{ unit, isWhole, format: write },
    },
    line: { of, points, isFilled },
    bands,
    readouts,
  };
  return drawnPanel({
    title,
    summary,
    readouts: readouts.map(({ words }) => words),
    legend: bands.length === 0 ? [] : [{ name: 'fault at work', ink: 'band' }],
    size,
    table: values,
    draw: (width) => drawChart(chart, width),
  });
}

function pointOf(x: number, value: number | bigint) {
  return typeof value === 'bigint' ? { x, y: Number(value), exact: value } : { x, y: value };
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
 * and a time are one. The last block of a fault is one of its own.
 */
export function bandsOf(faults: readonly FaultPeriod[]): Band[] {
  const sorted = faults.toSorted((a, b) => a.fromBlock - b.fromBlock);
  const names = [...new Set(sorted.map(({ name }) => name))];
  const own = names.length <= LANES ? names : names.slice(0, LANES - 1);
  const lanes = new Map<number, Band[]>();
  for (const { name, fromBlock: from, toBlock } of sorted) {
    const at = own.indexOf(name);
    const lane = at < 0 ? own.length : at;
    const to = toBlock + 1;
    const bands = getOrMake(lanes, lane, () => []);
    const before = bands.at(-1);
    if (before === undefined || from > before.to)
      bands.push({ name: at < 0 ? OTHERS : name, lane, from, to });
    else bands[bands.length - 1] = { ...before, to: Math.max(before.to, to) };
  }
  return [...lanes.values()].flat().sort((a, b) => a.from - b.from);
}

function successWords(result: RunResult): Words {
  const all = stretches(result);
  const total = (of: 'succeeded' | 'failed') => all.reduce((sum, point) => sum + point[of], 0);
  const rate = rateOf({ succeeded: total('succeeded'), failed: total('failed') });
  if (rate === null) return ['No payment ended.'];
  const whole = sayShare('payments/arrived_of_ended', rate);
  const [worst] = all.toSorted((a, b) => (rateOf(a) ?? 1) - (rateOf(b) ?? 1));
  const least = worst === undefined ? null : rateOf(worst);
  if (worst === undefined || least === null || least >= rate)
    return [whole, ' from beginning to end.'];
  return [
    ...[whole, ' in all; the worst stretch was ', sayShare('series/success_least', least)],
    ` in ${blocksText(worst).toLowerCase()}.`,
  ];
}

function courseWords(course: Course, result: RunResult): Words {
  const measured = stretches(result).flatMap((stretch) => {
    const value = course.value(stretch);
    return value === null ? [] : [{ stretch, value }];
  });
  const last = measured.at(-1);
  if (last === undefined) return ['Nothing was measured.'];
  const most = measured.reduce((found, { value }) => (value > found ? value : found), last.value);
  const isNewest = last.stretch.block === result.series.at(-1)?.block;
  return [
    course.say(`${course.of}_last`, last.value),
    isNewest ? ' at the end, ' : ` in ${blocksText(last.stretch).toLowerCase()}, `,
    ...[course.say(`${course.of}_most`, most), ' at most.'],
  ];
}

/** As many rows as a person reads; result.json has all. */
const MOST_ROWS = 400;

function seriesTable(result: RunResult): Markup {
  const { series, token } = result;
  const columns = ['Block', 'Started', 'Arrived', 'Failed', 'Median latency', 'Messages'];
  const others = ['Transactions', 'Gas', 'Locks', 'Imbalance', `Capacity (${token.symbol})`];
  const heads = [...columns, ...others].map((name) => ({ name, isNumber: true }));
  const rows = series.slice(-MOST_ROWS).map((point) => seriesRow(point, token));
  const cut = rows.length < series.length ? ` (the last ${rows.length} of ${series.length})` : '';
  return table(`The run by blocks${cut}`, heads, rows);
}

function seriesRow(point: SeriesPoint, token: Token): Row {
  const of = `point:${point.block}`;
  const { latencyBlocksP50: latency, pendingLocks: locks, imbalance, capacity } = point;
  return {
    cells: [
      sayBlock(`${of}/block`, point.block),
      sayCount(`${of}/started`, point.started),
      sayCount(`${of}/succeeded`, point.succeeded),
      sayCount(`${of}/failed`, point.failed),
      latency === null ? '–' : sayLatency(`${of}/latency_blocks_p50`, latency),
      sayCount(`${of}/messages`, point.messages),
      sayCount(`${of}/transactions`, point.transactions),
      sayCount(`${of}/gas_used`, point.gasUsed),
      locks === null ? '–' : sayCount(`${of}/pending_locks`, locks),
      imbalance === null ? '–' : sayShare(`${of}/imbalance`, imbalance),
      capacity === null ? '–' : sayBare(`${of}/capacity`, capacity, token),
    ],
  };
}
