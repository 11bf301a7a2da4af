/** The names and contents of all files that report on runs. The caller writes them. */
import { writeCsv, writeManyCsv } from './report/csv.ts';
import { writeJson } from './report/json.ts';
import { writeJunit, writeManyJunit } from './report/junit.ts';
import { writeHtml } from './report/page/html.ts';
import { type PaymentRecord, paymentLines, paymentsCsv } from './report/payment-records.ts';
import { manyRuns } from './report/results/many-runs.ts';
import type { RunResult } from './report/results/result.ts';
import type { Summary } from './run/summary.ts';

export type ReportFile = { name: string; text: string };

/** What is told of one run besides its result: its last events, and the records of its payments. */
type Details = { events: readonly string[]; payments: readonly PaymentRecord[] };

/** The files about one run. */
export function reportFiles(result: RunResult, { events, payments }: Details): ReportFile[] {
  const lines = events.length > 0 ? events : (result.violation?.lastEvents ?? []);
  const tables = Object.entries(writeCsv(result));
  return [
    { name: 'report.html', text: writeHtml(result) },
    { name: 'result.json', text: writeJson(result) },
    { name: 'junit.xml', text: writeJunit(result) },
    ...tables.map(([name, text]) => ({ name: `${name}.csv`, text })),
    { name: 'payments.csv', text: paymentsCsv(payments) },
    { name: 'payments.jsonl', text: paymentLines(payments) },
    ...(lines.length === 0 ? [] : [{ name: 'last-events.txt', text: `${lines.join('\n')}\n` }]),
  ];
}

/** The files about runs with many seeds. */
export function seedsFiles(
  summaries: readonly Summary[],
  of: Pick<RunResult, 'scenario' | 'commit'>,
): ReportFile[] {
  const many = manyRuns(
    of,
    summaries.map(({ seed, verdict, violation, steps, trace, wallMs }) => {
      return { seed, verdict, violation, steps, trace, wallMs };
    }),
  );
  return [
    { name: 'seeds.json', text: writeJson(many) },
    { name: 'seeds.csv', text: writeManyCsv(many) },
    { name: 'seeds-junit.xml', text: writeManyJunit(many) },
  ];
}
