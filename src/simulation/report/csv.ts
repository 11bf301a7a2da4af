/**
 * Tables of a result as CSV (RFC 4180): a line of names, then a line per row, each ended by CR and LF. Amounts are
 * in the token's smallest unit; null and unknown values are empty.
 */
import type { ManyRuns } from './results/many-runs.ts';
import type { RunResult } from './results/result.ts';

type Value = string | number | bigint | boolean | null | undefined;

/** The tables of a run by the names of their files. */
export function writeCsv(
  result: RunResult,
): Record<'outcomes' | 'series' | 'nodes' | 'channels', string> {
  return {
    outcomes: outcomesCsv(result),
    series: writeTable(SERIES, result.series),
    nodes: writeTable(NODES, result.nodes),
    channels: writeTable(CHANNELS, result.channels),
  };
}

/** A table with a line for each seed. */
export function writeManyCsv({ runs }: ManyRuns): string {
  const rows = runs.map(({ violation, ...run }) => ({
    ...run,
    invariant: violation?.invariant,
    violationStep: violation?.step,
    violationBlock: violation?.block,
    node: violation?.node,
    lost: violation?.lost,
    text: violation?.text,
  }));
  return writeTable(RUNS, rows);
}

const SERIES = [
  'block',
  'started',
  'succeeded',
  'failed',
  'latencyBlocksP50',
  'messages',
  'payloads',
  'transactions',
  'gasUsed',
  'pendingLocks',
  'capacity',
  'imbalance',
] as const;
const NODES = [
  'index',
  'name',
  'address',
  'role',
  'isHonest',
  'x',
  'y',
  'feesEarned',
  'gasSpentWei',
  'wealthBefore',
  'wealthAfter',
  'loss',
  'sent',
  'received',
  'mediated',
  'failed',
  'messagesSent',
  'messagesReceived',
  'kills',
] as const;
const CHANNELS = [
  'a',
  'b',
  'depositA',
  'depositB',
  'withdrawnA',
  'withdrawnB',
  'endA',
  'endB',
  'flowAB',
  'flowBA',
  'payments',
  'feesA',
  'feesB',
  'state',
] as const;
const RUNS = [
  'seed',
  'verdict',
  'steps',
  'trace',
  'wallMs',
  'invariant',
  'violationStep',
  'violationBlock',
  'node',
  'lost',
  'text',
] as const;

/** A table of how many payments ended in which way. */
function outcomesCsv({ payments }: RunResult): string {
  const failed = Object.entries(payments.failed);
  const ended = failed.reduce((sum, [, count]) => sum + count, payments.succeeded);
  return writeTable(
    ['outcome', 'code', 'count'],
    [
      { outcome: 'succeeded', code: null, count: payments.succeeded },
      ...failed.map(([code, count]) => ({ outcome: 'failed', code, count })),
      { outcome: 'pending', code: null, count: payments.started - ended },
    ],
  );
}

export function writeTable<Name extends string>(
  names: readonly Name[],
  rows: readonly { readonly [name in Name]?: Value }[],
): string {
  const lines = rows.map((row) => names.map((name) => field(row[name])).join(','));
  return [names.join(','), ...lines].map((line) => `${line}\r\n`).join('');
}

function field(value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return value.toString();
  // A spreadsheet would treat text that begins like this as a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
