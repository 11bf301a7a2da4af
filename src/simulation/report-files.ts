/** The names and contents of all files that report on a run. The caller writes them. */
import { writeJson } from './report/json.ts';
import { writeHtml } from './report/page/html.ts';
import { type PaymentRecord, paymentLines } from './report/payment-records.ts';
import type { RunResult } from './report/results/result.ts';

export type ReportFile = { name: string; text: string };

/** What is told of one run besides its result: its last events, and the records of its payments. */
type Details = { events: readonly string[]; payments: readonly PaymentRecord[] };

export function reportFiles(result: RunResult, { events, payments }: Details): ReportFile[] {
  const lines = events.length > 0 ? events : (result.violation?.lastEvents ?? []);
  return [
    { name: 'report.html', text: writeHtml(result) },
    { name: 'result.json', text: writeJson(result) },
    { name: 'payments.jsonl', text: paymentLines(payments) },
    ...(lines.length === 0 ? [] : [{ name: 'last-events.txt', text: `${lines.join('\n')}\n` }]),
  ];
}
