/** Panels with a bar for each kind of failure, transaction and message. */
import { groupDigits } from '../../../basics/digits.ts';
import { gasOf, messagesOf } from '../results/figures.ts';
import { compact, countOf, plain } from '../results/numbers.ts';
import type { RunResult } from '../results/result.ts';
import { type Markup, markup } from './markup.ts';
import { barTable, panel } from './panel.ts';

/** The most kinds with a bar of their own. */
const KINDS = 14;

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
  const others = rows.slice(KINDS);
  const rest = others.reduce((all, { value }) => all + value, 0);
  const last =
    others.length === 0 ? [] : [{ name: 'all others', value: rest, text: compact(rest) }];
  const shown = [...rows.slice(0, KINDS), ...last];
  return panel(title, 'half', markup`<p class="quiet">${words}</p>${barTable(columns, shown)}`);
}
