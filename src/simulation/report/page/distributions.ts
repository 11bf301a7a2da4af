/** The distribution of values over all payments and locks of a run. */

import { compact, countOf, percent, plain } from '../results/numbers.ts';
import type { Histogram, RunResult } from '../results/result.ts';
import { cumulative, quantile, total } from '../results/statistics.ts';
import { type Bar, type Chart, drawChart } from './chart.ts';
import type { Markup } from './markup.ts';
import { drawnPanel, table } from './panel.ts';
import { roundTop } from './scale.ts';

const SHARES = [0.5, 0.9, 0.99, 1];
const BINS = 60;

/** The histogram as the share of payments that had at most each value; `unit`: "block". */
export function cumulativePanel(title: string, unit: string, histogram: Histogram): Markup {
  const summary = spreadWords(histogram, unit);
  const curve = cumulative(histogram);
  // The longest values are few and far away: with them all others would be pressed against the axis.
  const to = Math.max(1, (quantile(histogram, 0.998) ?? 1) * 1.1);
  const chart: Chart = {
    label: `${title}. ${summary}`,
    height: 230,
    line: { points: [{ x: 0, y: 0 }, ...curve], isFilled: true },
    x: { from: 0, to, label: `${unit}s`, format: compact },
    y: { from: 0, to: 1, label: '', format: percent },
    readouts: curve
      .filter(({ x }) => x <= to)
      .slice(0, 500)
      .map(({ x, y }) => ({ x, text: `At most ${countOf(x, unit)}: ${percent(y)}` })),
  };
  return drawnPanel({
    title,
    summary,
    size: 'half',
    table: quantileTable(title, histogram),
    draw: (width) => drawChart(chart, width),
  });
}

function spreadWords(histogram: Histogram, unit: string): string {
  const [half, most] = [quantile(histogram, 0.5), quantile(histogram, 0.99)];
  if (half === null || most === null) return 'Nothing was measured.';
  return `Half within ${countOf(half, unit)}, 99 % within ${countOf(most, unit)}.`;
}

function quantileTable(caption: string, histogram: Histogram): Markup {
  const rows = SHARES.map((share) => {
    const value = quantile(histogram, share);
    return { cells: [percent(share), value === null ? '–' : plain(value, 2)] };
  });
  return table(caption, [{ name: 'of all' }, { name: 'at most', isNumber: true }], rows);
}

/**
 * How many blocks locks had left when their payee was safe, with the range in which there is no time left to defend
 * a lock on chain.
 */
export function slackPanel({ histograms, dangerSlackBlocks }: RunResult): Markup {
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
