/** Writes the payment history of a node to standard output. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { messageOf } from '../../basics/message-of.ts';
import { recordObject } from '../../http/shapes/serializers.ts';
import type { Slices } from '../../store/base/slices.ts';
import { parseLocation } from '../../store/durability/location.ts';
import { openHistory } from '../../store/history/history.ts';
import type { PaymentRow } from '../../store/history/payment-row.ts';
import type { EXPORT_OPTIONS } from '../options/database.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { session } from '../process/session.ts';
import { refuse } from '../process/terminal.ts';
import { databaseOf } from './database.ts';

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

/** The exit code. */
export async function runExport({
  choice,
  format,
  before,
  ...left
}: Values<typeof EXPORT_OPTIONS>): Promise<number> {
  left satisfies Nothing;
  const database = databaseOf(choice);
  if (!database.ok) return refuse(database.message);
  const location = parseLocation(database.value);
  if (location.kind === 'unsupported') return refuse(location.message);
  if (location.kind === 'memory') return refuse('--database must name a file');
  try {
    const history = openHistory(location.path);
    const chosen = olderThan(history.payments, before ?? Number.POSITIVE_INFINITY);
    const text = format === 'csv' ? csvOf(chosen) : linesOf(chosen);
    await pipeline(Readable.from(text), session().out);
    history.close();
    return 0;
  } catch (error) {
    // The reader of a pipe has seen enough.
    if (error instanceof Error && 'code' in error && error.code === 'EPIPE') return 0;
    return refuse(`the payments could not be read: ${messageOf(error)}`);
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
