/** `sluice export payments`: the payment history of a node, which may be running, as text. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { recordObject } from '../http/serializers.ts';
import { openHistory, type PaymentRow } from '../store/history.ts';
import { parseLocation } from '../store/location.ts';
import type { Slices } from '../store/slices.ts';
import { databaseOf } from './database.ts';
import { ADDRESS } from './key.ts';
import { NODE_SETTINGS } from './node.ts';
import { DATABASE, NETWORK_ID } from './node-settings.ts';
import { declare, defaulting, optional, type Read, readerOf } from './settings.ts';
import { refuse } from './terminal.ts';
import { date, oneOf } from './values.ts';

const FORMAT = defaulting(
  '--format <format>',
  'jsonl: an object of the API on each line; csv: a table with a line of names',
  oneOf(['jsonl', 'csv']),
  'jsonl',
);
const BEFORE = optional(
  '--before <date>',
  'only payments that ended before this day or moment, in UTC (default: all)',
  date,
);

/** The fields of all kinds of payments in the API. */
const COLUMNS = [
  'log_time',
  'event',
  'token_address',
  'amount',
  'initiator',
  'target',
  'identifier',
  'reason',
] as const;

export function exportCommand(): Command {
  const payments = new Command('payments').description(
    'write the payment history to standard output, oldest first, in the words of the API',
  );
  const shown = [DATABASE, ADDRESS, NETWORK_ID, FORMAT, BEFORE];
  // A node's other options are accepted, so that its file of options can be given here, too.
  declare(payments, shown, NODE_SETTINGS).action(async () => {
    process.exit(await runExport(readerOf(payments)));
  });
  return new Command('export')
    .description('write what a node, which may be running, has stored')
    .addCommand(payments);
}

/** The exit code. */
async function runExport(read: Read): Promise<number> {
  const [format, before] = [read(FORMAT), read(BEFORE)];
  const database = databaseOf(read);
  if (!database.ok) return refuse(database.message);
  const location = parseLocation(database.value);
  if (location.kind === 'unsupported') return refuse(location.message);
  if (location.kind === 'memory') return refuse('--database must name a file');
  try {
    const history = openHistory(location.path);
    const chosen = olderThan(history.payments, before ?? Number.POSITIVE_INFINITY);
    const text = format === 'csv' ? csvOf(chosen) : linesOf(chosen);
    await pipeline(Readable.from(text), process.stdout);
    history.close();
    return 0;
  } catch (error) {
    // The reader of a pipe has seen enough.
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 0;
    const reason = error instanceof Error ? error.message : String(error);
    return refuse(`the payments could not be read: ${reason}`);
  }
}

function* olderThan(slices: Slices<PaymentRow>, before: number): Generator<PaymentRow[]> {
  for (const rows of slices) yield rows.filter(({ time }) => time < before);
}

function* linesOf(slices: Slices<PaymentRow>): Generator<string> {
  for (const rows of slices)
    yield rows.map((row) => `${JSON.stringify(recordObject(row))}\n`).join('');
}

function* csvOf(slices: Slices<PaymentRow>): Generator<string> {
  yield `${COLUMNS.join()}\r\n`;
  for (const rows of slices) yield rows.map(csvLine).join('');
}

function csvLine(row: PaymentRow): string {
  const fields = new Map<string, string>(Object.entries(recordObject(row)));
  return `${COLUMNS.map((name) => cell(fields.get(name) ?? '')).join()}\r\n`;
}

/** RFC 4180: what would end a cell is put in quotes. */
function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
