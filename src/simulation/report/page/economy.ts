/** Panels about who earned, how balanced the channels ended, and what the run cost. */
import { groupDigits } from '../../../basics/digits.ts';
import { compact, countOf, exactly, percent, plain, tokens, toNumber } from '../results/numbers.ts';
import type { RunResult } from '../results/result.ts';
import { gasOf, messagesOf, type Run, sum } from '../results/runs.ts';
import { gini, lorenz, mean, shareOf } from '../results/statistics.ts';
import { type Chart, drawChart, type Line, short, toldAt } from './chart.ts';
import { type Markup, markup } from './markup.ts';
import { barTable, drawnPanel, panel } from './panel.ts';

const TOP_EARNERS = 8;
/** The most types of message or transaction with a bar of their own. */
const TYPES = 14;
/** The most cells of the strip; with more channels, several share one. */
const CELLS = 290;
/** Colour steps between a balanced and a one-sided channel. */
export const LEVELS = 20;

export function lorenzPanel(runs: readonly Run[]): Markup {
  const curves = runs.map((run) => ({
    ...run,
    points: lorenz(run.result.nodes.map(({ feesEarned }) => feesEarned)),
  }));
  const words = curves.map(({ name, result, points }) => {
    const earned = tokens(sum(result.nodes.map(({ feesEarned }) => feesEarned)), result.token);
    const text = `${earned} of fees, Gini coefficient ${gini(points).toFixed(2)} (0: all earned the same, 1: one earned all).`;
    return runs.length === 1 ? text : `${name}: ${text}`;
  });
  const equal: Line = {
    name: 'all the same',
    ink: 'quiet',
    points: [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
    ],
  };
  const lines: Line[] = curves.map(({ name, ink, points }) => ({
    name,
    ink,
    points,
    isFilled: runs.length === 1,
  }));
  const chart: Chart = {
    label: `Fee income. ${words.join(' ')}`,
    height: 230,
    lines: [equal, ...lines],
    x: { from: 0, to: 1, label: 'nodes, those that earned least first', format: percent },
    y: { from: 0, to: 1, label: '', format: percent },
    readouts: (curves[0]?.points ?? []).map(({ x }) => ({ x, text: incomeAt(x, lines) })),
  };
  const names = lines.map(({ name, ink }) => ({
    name: runs.length === 1 ? 'fee income' : name,
    ink,
  }));
  return drawnPanel({
    title: 'Who earned the fees',
    summary: words.join(' '),
    size: 'half',
    legend: [...names, { name: 'all the same', ink: 'quiet' }],
    draw: (width) => drawChart(chart, width),
  });
}

function incomeAt(x: number, lines: readonly Line[]): string {
  const shares = lines.map(({ name, points }) => {
    const share = percent(points.findLast((point) => point.x <= x + 1e-9)?.y ?? 0);
    return lines.length === 1 ? share : `${name} ${share}`;
  });
  return `The ${percent(x)} of the nodes that earned least got ${shares.join(', ')} of all fees`;
}

export function earnersPanel({ nodes, token }: RunResult): Markup {
  const best = nodes
    .filter(({ feesEarned }) => feesEarned > 0n)
    .sort((a, b) => (a.feesEarned > b.feesEarned ? -1 : a.feesEarned < b.feesEarned ? 1 : 0))
    .slice(0, TOP_EARNERS);
  const rows = best.map(({ name, role, feesEarned }) => ({
    name: `${name} (${role})`,
    value: toNumber(feesEarned, token),
    text: tokens(feesEarned, token),
  }));
  const content =
    rows.length === 0 ? markup`<p>Nobody earned a fee.</p>` : barTable(['Node', 'Fees'], rows);
  return panel('Highest fee income', 'half', content);
}

/** How one-sided each channel was, from balanced to used up, at the beginning and at the end. */
export function channelStrip(result: RunResult): Markup | null {
  if (result.channels.length === 0) return null;
  const ends = result.channels.map(({ endA, endB }) => leaning(endA, endB)).sort((a, b) => a - b);
  const starts = result.channels
    .map(({ depositA, depositB }) => leaning(depositA, depositB))
    .sort((a, b) => a - b);
  const usedUp = ends.filter((value) => value > 0.9).length;
  const summary = `${countOf(usedUp, 'channel')} of ${groupDigits(ends.length)} ended with more than 95 % of the money on one side. The fuller the colour, the more one-sided; each cell is ${ends.length > CELLS ? `about ${Math.ceil(ends.length / CELLS)} channels` : 'one channel'}.`;
  const rows = [
    { name: 'At the beginning', values: cells(starts) },
    { name: 'At the end', values: cells(ends) },
  ];
  return drawnPanel({
    title: 'How one-sided the channels are, sorted',
    summary,
    size: 'whole',
    draw: (width) => drawStrip(rows, summary, width),
  });
}

type StripRow = { name: string; values: readonly number[] };

function drawStrip(rows: readonly StripRow[], summary: string, width: number): Markup {
  const height = rows.length * 46;
  const drawn = rows.map(({ name, values }, row) => {
    const top = row * 46;
    const cell = width / Math.max(1, values.length);
    // Each cell reaches a little under the next, so that there are no gaps at any size.
    const rects = values.map((value, at) => {
      const level = Math.round(value * LEVELS);
      return markup`<rect class="heat-${level}" x="${short(at * cell)}" y="${top + 18}" width="${short(cell + 1)}" height="22"/>`;
    });
    return markup`<text x="0" y="${top + 12}">${name}</text>${rects}`;
  });
  const told = rows.flatMap(({ name, values }, row) =>
    values.map((value, at) => {
      const x = ((at + 0.5) * width) / values.length;
      const part = percent((at + 1) / values.length);
      const text = `${name}: imbalance ${percent(value)}; ${part} of the channels have at most this`;
      return toldAt(short(x), `${row * 46 + 29}`, text);
    }),
  );
  return markup`<svg class="strip" viewBox="0 0 ${width} ${height}" role="img" tabindex="0" aria-label="Imbalance of the channels. ${summary}" data-free="yes" data-points="${told.join('\n')}">${drawn}<circle class="pointer" cx="-99" cy="-99" r="9"/></svg>`;
}

/** How one-sided a channel is; 0: both sides own the same; 1: one side owns all, or the channel is empty. */
function leaning(a: bigint, b: bigint): number {
  const share = shareOf(a > b ? a : b, a + b);
  return share === 0 ? 0 : 2 * share - 1;
}

function cells(sorted: readonly number[]): number[] {
  const size = Math.ceil(sorted.length / CELLS);
  const found: number[] = [];
  for (let at = 0; at < sorted.length; at += size) found.push(mean(sorted.slice(at, at + size)));
  return found;
}

export function gasPanel(result: RunResult): Markup {
  const rows = Object.entries(result.transactionsByType)
    .map(([name, { count, gas }]) => ({
      name,
      value: gas,
      text: `${compact(gas)} in ${plain(count, 0)}`,
    }))
    .sort((a, b) => b.value - a.value);
  const { gas, transactions } = gasOf(result);
  return barsPanel('Gas by transaction', ['Transaction', 'Gas'], rows, {
    words: `${groupDigits(gas)} gas in ${countOf(transactions, 'transaction')}.`,
    nothing: 'No transaction was sent.',
  });
}

export function messagesPanel(result: RunResult): Markup {
  const rows = Object.entries(result.messagesByType)
    .map(([name, count]) => ({ name, value: count, text: groupDigits(count) }))
    .sort((a, b) => b.value - a.value);
  return barsPanel('Messages by type', ['Message', 'Count'], rows, {
    words: `${countOf(messagesOf(result), 'message')} between the nodes.`,
    nothing: 'No message was sent.',
  });
}

export function failuresPanel({ payments }: RunResult): Markup {
  const rows = Object.entries(payments.failed)
    .map(([name, count]) => ({ name, value: count, text: groupDigits(count) }))
    .sort((a, b) => b.value - a.value);
  const failed = rows.reduce((all, { value }) => all + value, 0);
  return barsPanel('Why payments failed', ['Reason', 'Payments'], rows, {
    words: `${countOf(failed, 'payment')} of ${groupDigits(payments.started)} failed; ${groupDigits(payments.started - payments.succeeded - failed)} had not ended.`,
    nothing: 'No payment failed.',
  });
}

type BarRow = { name: string; value: number; text: string };

function barsPanel(
  title: string,
  columns: readonly [string, string],
  rows: readonly BarRow[],
  { words, nothing }: { words: string; nothing: string },
): Markup {
  if (rows.length === 0) return panel(title, 'half', markup`<p>${nothing}</p>`);
  const others = rows.slice(TYPES);
  const rest = others.reduce((all, { value }) => all + value, 0);
  const last =
    others.length === 0 ? [] : [{ name: 'all others', value: rest, text: compact(rest) }];
  const shown = [...rows.slice(0, TYPES), ...last];
  return panel(title, 'half', markup`<p class="quiet">${words}</p>${barTable(columns, shown)}`);
}

/** A shortened amount; all its digits are shown under the pointer. */
export function amountCell(amount: bigint, text: string): { cell: Markup; sort: bigint } {
  return { cell: markup`<span title="${exactly(amount)}">${text}</span>`, sort: amount };
}
