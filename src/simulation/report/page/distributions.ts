/** The distribution of values over all payments and locks of a run. */
import { compact, percent, plain } from '../results/numbers.ts';
import type { Histogram, RunResult } from '../results/result.ts';
import {
  type Said,
  sayBlocks,
  sayCount,
  sayShare,
  textOf,
  type Words,
  within,
} from '../results/said.ts';
import { cumulative, quantile, total } from '../results/statistics.ts';
import { type Bar, type Chart, drawChart } from './chart.ts';
import type { Markup } from './markup.ts';
import { drawnPanel, table } from './panel.ts';
import { roundTop } from './scale.ts';

const SHARES = [0.5, 0.9, 0.99, 1];
const BINS = 60;

/** `say`: writes a value of the histogram; `unit`: the plural of what it counts. */
export type Measured = {
  readonly of: string;
  readonly title: string;
  readonly unit: string;
  readonly say: (of: string, value: number) => Said;
};

/** The histogram as the share of payments that had at most each value. */
export function cumulativePanel(measured: Measured, histogram: Histogram): Markup {
  const { of, title, unit } = measured;
  const summary = spreadWords(measured, histogram);
  // The longest values are few and far away: with them all others would be pressed against the axis.
  const to = Math.max(1, (quantile(histogram, 0.998) ?? 1) * 1.1);
  const curve = cumulative(histogram).filter(({ x }) => x <= to);
  const last = curve.at(-1);
  const points = last === undefined ? [] : [{ x: 0, y: 0 }, ...curve, { x: to, y: last.y }];
  const readouts = curve.slice(0, 500).map(({ x, y }) => ({
    x,
    words: [
      ...[...within(measured.say(`${of}/value`, x), 'At most'), ': '],
      { ...sayShare(`${of}/within`, y), at: `value:${x}` },
    ],
  }));
  const chart: Chart = {
    name: of,
    label: `${title}. ${textOf(summary)}`,
    height: 230,
    line: { of: `${of}/within`, points, isFilled: true },
    x: { from: 0, to, label: unit, unit: 'count', format: compact, isWhole: true },
    y: { from: 0, to: 1, label: '', unit: 'share', format: percent },
    readouts,
  };
  return drawnPanel({
    title,
    summary,
    readouts: readouts.map(({ words }) => words),
    size: 'half',
    table: quantileTable(measured, histogram),
    draw: (width) => drawChart(chart, width),
  });
}

const quantileOf = (of: string, share: number): string => `${of}/p${share * 100}`;

function spreadWords({ of, say }: Measured, histogram: Histogram): Words {
  const [half, most] = [quantile(histogram, 0.5), quantile(histogram, 0.99)];
  if (half === null || most === null) return ['Nothing was measured.'];
  return [
    ...['Half ', ...within(say(quantileOf(of, 0.5), half))],
    ...[', 99 % ', ...within(say(quantileOf(of, 0.99), most)), '.'],
  ];
}

function quantileTable({ of, title, say }: Measured, histogram: Histogram): Markup {
  const rows = SHARES.map((share) => {
    const value = quantile(histogram, share);
    return { cells: [percent(share), value === null ? '–' : say(quantileOf(of, share), value)] };
  });
  return table(title, [{ name: 'of all' }, { name: 'at most', isNumber: true }], rows);
}

/**
 * How many blocks locks had left when their payee was safe, with the range in which there is no time left to defend
 * a lock on chain.
 */
export function slackPanel({ histograms, dangerSlackBlocks }: RunResult): Markup {
  const histogram = histograms.lockSlackBlocks;
  const bins = binned(histogram, dangerSlackBlocks);
  const most = bins.reduce((greatest, { count }) => Math.max(greatest, count), 0);
  const from = Math.min(0, bins[0]?.from ?? 0);
  const to = Math.max(bins.at(-1)?.to ?? 1, dangerSlackBlocks * 1.5);
  const bars: Bar[] = bins.map((bin) => ({
    of: binName(bin),
    from: bin.from,
    to: bin.to,
    value: bin.count,
    ink: bin.from < dangerSlackBlocks ? 'danger' : 'first',
  }));
  const readouts = bins.map((bin) => ({
    x: (bin.from + bin.to) / 2,
    words: [
      `${bin.to - bin.from <= 1 ? plain(bin.from) : `${plain(bin.from)}–${plain(bin.to - 1)}`} blocks left: `,
      sayCount(binName(bin), bin.count, 'lock'),
    ],
  }));
  const summary = slackWords(histogram, dangerSlackBlocks);
  const chart: Chart = {
    name: 'lock_slack',
    label: `Blocks left on locks. ${textOf(summary)}`,
    height: 230,
    bars,
    x: {
      ...{ from, to, isWhole: true, unit: 'blocks' },
      ...{ label: 'blocks left before the lock expired', format: compact },
    },
    y: { from: 0, to: roundTop(most), label: '', isWhole: true, unit: 'count', format: compact },
    zone: { of: 'run/danger_zone', to: dangerSlackBlocks, name: 'danger zone' },
    readouts,
  };
  return drawnPanel({
    title: 'Safety margin of locks',
    summary,
    readouts: readouts.map(({ words }) => words),
    size: 'half',
    legend: [
      { name: 'locks', ink: 'first' },
      { name: 'too little time left', ink: 'danger' },
    ],
    draw: (width) => drawChart(chart, width),
  });
}

const binName = ({ from, to }: Bin): string => `lock_slack:${from}..${to - 1}/locks`;

function slackWords(histogram: Histogram, danger: number): Words {
  const least = quantile(histogram, 0);
  if (least === null) return ['No lock was settled.'];
  const inDanger = total(histogram.filter(({ value }) => value < danger));
  const all = sayCount('lock_slack/locks', total(histogram));
  return [
    ...(inDanger === 0
      ? ['No lock of ', all]
      : [sayCount('lock_slack/in_danger', inDanger, 'lock'), ' of ', all]),
    ...[' came into the danger zone; the closest had '],
    ...[sayBlocks('lock_slack/p0', least), ' left.'],
  ];
}

/** `to` is not included. */
type Bin = { from: number; to: number; count: number };

/** Puts neighbouring values together, into at most about sixty bins of equal width, of which one begins at `edge`. */
function binned(histogram: Histogram, edge: number): Bin[] {
  const [first, last] = [histogram[0], histogram.at(-1)];
  if (first === undefined || last === undefined) return [];
  const size = Math.max(1, Math.ceil((last.value - first.value + 1) / BINS));
  const start = edge - Math.ceil((edge - first.value) / size) * size;
  const bins: Bin[] = [];
  for (const { value, count } of histogram) {
    const from = start + Math.floor((value - start) / size) * size;
    const open = bins.at(-1);
    if (open !== undefined && open.from === from) open.count += count;
    else bins.push({ from, to: from + size, count });
  }
  return bins;
}
