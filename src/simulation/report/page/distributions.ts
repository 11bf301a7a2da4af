/** The distribution of values over all payments and locks of a run. */

import { compact, countOf, percent, plain } from '../results/numbers.ts';
import type { Histogram } from '../results/result.ts';
import type { Run } from '../results/runs.ts';
import { cumulative, quantile, total } from '../results/statistics.ts';
import { type Bar, type Chart, drawChart, type Line } from './chart.ts';
import type { Markup } from './markup.ts';
import { drawnPanel, table } from './panel.ts';
import { roundTop } from './scale.ts';

const SHARES = [0.5, 0.9, 0.99, 1];
const BINS = 60;

type Spread = {
  title: string;
  unit: string;
  of: (run: Run) => Histogram;
  words: (histogram: Histogram) => string;
};

export function latencyPanels(runs: readonly Run[]): Markup[] {
  const spreads: Spread[] = [
    {
      title: 'Latency: payments that arrived within so many blocks',
      unit: 'block',
      of: ({ result }) => result.histograms.latencyBlocks,
      words: (histogram) => spreadWords(histogram, 'block'),
    },
    {
      title: 'Effort: payments that took at most so many messages',
      unit: 'message',
      of: ({ result }) => result.histograms.latencyMessages,
      words: (histogram) => spreadWords(histogram, 'message'),
    },
  ];
  return spreads.map((spread) => cumulativePanel(spread, runs));
}

/** The safety margins of several runs in one drawing. */
export function slackCurves(runs: readonly Run[]): Markup {
  const spread: Spread = {
    title: 'Safety: locks that had at most so many blocks left',
    unit: 'block',
    of: ({ result }) => result.histograms.lockSlackBlocks,
    words: (histogram) => {
      const least = quantile(histogram, 0);
      return least === null
        ? 'no lock was settled.'
        : `the closest had ${countOf(least, 'block')} left.`;
    },
  };
  return cumulativePanel(spread, runs);
}

function cumulativePanel({ title, unit, of, words }: Spread, runs: readonly Run[]): Markup {
  const lines: Line[] = runs.map((run) => ({
    name: run.name,
    ink: run.ink,
    isStepped: true,
    isFilled: runs.length === 1,
    points: [{ x: 0, y: 0 }, ...cumulative(of(run))],
  }));
  // The longest values are few and far away: with them all others would be pressed against the axis.
  const ends = runs.map((run) => (quantile(of(run), 0.998) ?? 1) * 1.1);
  const to = Math.max(1, ...ends);
  const summary = runs.map((run) => sentence(words(of(run)), run, runs)).join(' ');
  const values = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))]
    .filter((value) => value <= to)
    .sort((a, b) => a - b);
  const chart: Chart = {
    label: `${title}. ${summary}`,
    height: 230,
    lines,
    x: { from: 0, to, label: `${unit}s`, format: compact },
    y: { from: 0, to: 1, label: '', format: percent },
    readouts: values.slice(0, 500).map((x) => ({
      x,
      text: `At most ${countOf(x, unit)}: ${lines.map((line) => shareAt(line, x, runs)).join(', ')}`,
    })),
  };
  return drawnPanel({
    title,
    summary,
    size: 'half',
    legend: legendOf(runs),
    table: quantileTable(title, of, runs),
    draw: (width) => drawChart(chart, width),
  });
}

function shareAt({ name, points }: Line, x: number, runs: readonly Run[]): string {
  const reached = points.findLast((point) => point.x <= x)?.y ?? 0;
  return runs.length === 1 ? percent(reached) : `${name} ${percent(reached)}`;
}

function spreadWords(histogram: Histogram, unit: string): string {
  const [half, most] = [quantile(histogram, 0.5), quantile(histogram, 0.99)];
  if (half === null || most === null) return 'nothing was measured.';
  return `half within ${countOf(half, unit)}, 99 % within ${countOf(most, unit)}.`;
}

function sentence(words: string, { name }: Run, runs: readonly Run[]): string {
  return runs.length > 1
    ? `${name}: ${words}`
    : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

function quantileTable(caption: string, of: Spread['of'], runs: readonly Run[]): Markup {
  const rows = SHARES.map((share) => ({
    cells: [
      percent(share),
      ...runs.map((run) => {
        const value = quantile(of(run), share);
        return value === null ? '–' : plain(value, 2);
      }),
    ],
  }));
  const heads = runs.map(({ name }) => ({
    name: runs.length === 1 ? 'at most' : name,
    isNumber: true,
  }));
  return table(caption, [{ name: 'of all' }, ...heads], rows);
}

function legendOf(runs: readonly Run[]) {
  return runs.length === 1 ? [] : runs.map(({ name, ink }) => ({ name, ink }));
}

/**
 * How many blocks locks had left when their payee was safe, with the range in which there is no time left to defend
 * a lock on chain.
 */
export function slackPanel(run: Run): Markup {
  const { histograms, dangerSlackBlocks } = run.result;
  const histogram = histograms.lockSlackBlocks;
  const bins = binned(histogram);
  const most = bins.reduce((greatest, { count }) => Math.max(greatest, count), 0);
  const inDanger = total(histogram.filter(({ value }) => value < dangerSlackBlocks));
  const least = quantile(histogram, 0);
  const summary =
    least === null
      ? 'No lock was settled.'
      : `${inDanger === 0 ? 'No lock' : `${countOf(inDanger, 'lock')} of ${plain(total(histogram), 0)}`} came into the danger zone; the closest had ${countOf(least, 'block')} left.`;
  const from = Math.min(0, bins[0]?.from ?? 0);
  const to = Math.max(bins.at(-1)?.to ?? 1, dangerSlackBlocks * 1.5);
  const bars: Bar[] = bins.map((bin) => ({
    from: bin.from,
    to: bin.to,
    value: bin.count,
    ink: bin.from < dangerSlackBlocks ? 'danger' : 'first',
  }));
  const chart: Chart = {
    label: `Blocks left on locks. ${summary}`,
    height: 230,
    bars,
    x: { from, to, label: 'blocks left before the lock expired', format: compact },
    y: { from: 0, to: roundTop(most), label: '', format: compact },
    zone: { from, to: dangerSlackBlocks, name: 'danger zone' },
    readouts: bins.map((bin) => ({
      x: (bin.from + bin.to) / 2,
      text: `${bin.to - bin.from <= 1 ? plain(bin.from) : `${plain(bin.from)}–${plain(bin.to - 1)}`} blocks left: ${countOf(bin.count, 'lock')}`,
    })),
  };
  return drawnPanel({
    title: 'Safety margin of locks',
    summary,
    size: 'half',
    legend: [
      { name: 'locks', ink: 'first' },
      { name: 'too little time left', ink: 'danger' },
    ],
    draw: (width) => drawChart(chart, width),
  });
}

/** Puts neighbouring values together, into at most about sixty bins of equal width; `to` is not included. */
function binned(histogram: Histogram): { from: number; to: number; count: number }[] {
  const [first, last] = [histogram[0], histogram.at(-1)];
  if (first === undefined || last === undefined) return [];
  const size = Math.max(1, Math.ceil((last.value - first.value + 1) / BINS));
  const start = Math.floor(first.value / size) * size;
  const bins: { from: number; to: number; count: number }[] = [];
  for (const { value, count } of histogram) {
    const at = Math.floor((value - start) / size);
    const from = start + at * size;
    const open = bins.at(-1);
    if (open !== undefined && open.from === from) open.count += count;
    else bins.push({ from, to: from + size, count });
  }
  return bins;
}
