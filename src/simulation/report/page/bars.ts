/** Panels with a bar for each kind of failure, transaction and message. */
import { gasOf, messagesOf } from '../results/figures.ts';
import type { RunResult } from '../results/result.ts';
import { sayCompact, sayCount, type Words } from '../results/said.ts';
import { spoken } from './figure.ts';
import { type Markup, markup } from './markup.ts';
import { type BarRow, barTable, panel } from './panel.ts';

/** The most kinds with a bar of their own. */
const KINDS = 14;

export function gasPanel(result: RunResult): Markup {
  const rows = Object.entries(result.transactionsByType).map(([name, { count, gas }]) => ({
    name,
    bar: sayCompact(`transaction:${name}/gas`, gas),
    words: [' in ', sayCount(`transaction:${name}/count`, count)],
  }));
  const { gas, transactions } = gasOf(result);
  return barsPanel('Gas by transaction', ['Transaction', 'Gas'], rows, {
    others: 'transactions/other_gas',
    words: [
      ...[sayCount('transactions/gas', gas), ' gas in '],
      ...[sayCount('transactions/count', transactions, 'transaction'), '.'],
    ],
    nothing: 'No transaction was sent.',
  });
}

export function messagesPanel(result: RunResult): Markup {
  return barsPanel(
    'Messages by type',
    ['Message', 'Count'],
    countRows('message', result.messagesByType),
    {
      others: 'messages/others',
      words: [sayCount('messages/count', messagesOf(result), 'message'), ' between the nodes.'],
      nothing: 'No message was sent.',
    },
  );
}

export function failuresPanel({ payments }: RunResult): Markup {
  const { started, succeeded } = payments;
  const failed = Object.values(payments.failed).reduce((all, count) => all + count, 0);
  return barsPanel(
    'Why payments failed',
    ['Reason', 'Payments'],
    countRows('failure', payments.failed),
    {
      others: 'payments/other_failures',
      words: [
        ...[sayCount('payments/failed', failed, 'payment'), ' of '],
        ...[sayCount('payments/started', started), ' failed; '],
        ...[sayCount('payments/pending', started - succeeded - failed), ' had not ended.'],
      ],
      nothing: 'No payment failed.',
    },
  );
}

function countRows(whose: string, counts: Readonly<Record<string, number>>): BarRow[] {
  return Object.entries(counts).map(([name, count]) => ({
    name,
    bar: sayCount(`${whose}:${name}/count`, count),
    words: [],
  }));
}

/** `others`: what the rest is claimed to be, where there are more kinds than bars. */
type About = { others: string; words: Words; nothing: string };

function barsPanel(
  title: string,
  columns: readonly [string, string],
  rows: readonly BarRow[],
  { others, words, nothing }: About,
): Markup {
  if (rows.length === 0) return panel(title, 'half', markup`<p>${nothing}</p>`);
  const sorted = rows.toSorted((a, b) => Number(b.bar.value) - Number(a.bar.value));
  const rest = sorted.slice(KINDS);
  const sum = rest.reduce((all, { bar }) => all + Number(bar.value), 0);
  const last =
    rest.length === 0 ? [] : [{ name: 'all others', bar: sayCompact(others, sum), words: [] }];
  const shown = [...sorted.slice(0, KINDS), ...last];
  return panel(
    title,
    'half',
    markup`<p class="quiet">${spoken(words)}</p>${barTable(columns, shown)}`,
  );
}
