/** Describes the outcome of a run in words. */
import type { RunResult } from '../../simulation/report/results/result.ts';
import { failureOf, figuresOf, type Summary } from '../../simulation/run/summary.ts';
import { counted, duration, figure, tableLines, tokens } from './output.ts';

const FAILED = 1;
const STOPPED = 130;
/** How many of the last events before a violation are printed. */
const EVENTS = 20;

export function exitCodeOf(verdict: Summary['verdict']): number {
  if (verdict === 'stopped') return STOPPED;
  return verdict === 'passed' ? 0 : FAILED;
}

/** The verdict in one line. */
export function verdictLine(summary: Summary): string {
  const { verdict, hasCrashed, violation, unmet, blocks } = summary;
  switch (verdict) {
    case 'passed':
      return `passed: ${counted(blocks, 'block')}, nothing was violated and all that was expected came`;
    case 'stopped':
      return `stopped after ${counted(blocks, 'block')}: this is a part of the run`;
    case 'failed':
      if (hasCrashed) return `failed: the program itself failed: ${failureOf(summary)}`;
      return violation === null
        ? `failed: ${unmet.map(({ text, actual }) => `${text}, was ${actual}`).join('; ')}`
        : `failed in block ${violation.block}: invariant ${violation.invariant}: ${violation.text}`;
  }
}

export function resultLines(result: RunResult, wallMs: number): string[] {
  const { scenario, seed, payments, token, steps, faults, violation } = result;
  const figures = figuresOf(result);
  const ended = Object.values(payments.failed).reduce((sum, count) => sum + count, 0);
  const struck = new Set(faults.map(({ name }) => name));
  const rows = [
    ['seed', String(seed)],
    [
      'network',
      `${counted(result.nodes.length, 'node')}, ${counted(result.channels.length, 'channel')}`,
    ],
    ['run', `${counted(result.blocks, 'block')}, ${counted(steps, 'step')} in ${duration(wallMs)}`],
    [
      'payments',
      `${figure(payments.started)} started, ${figure(payments.succeeded)} arrived, ${figure(ended)} failed`,
    ],
    [
      'latency',
      `${figure(figures.latencyBlocksP50)} blocks (median), ${figure(figures.latencyBlocksP99)} (99 in 100)`,
    ],
    ['messages', `${figure(figures.messagesPerPayment)} for each payment that arrived`],
    ['fees', `${tokens(figures.feeIncome, token)} earned by honest nodes`],
    [
      'faults',
      faults.length === 0 ? 'none' : `${figure(faults.length)}: ${[...struck].join(', ')}`,
    ],
    ['honest loss', tokens(figures.honestLoss, token)],
  ];
  return [
    `${scenario.name}: ${scenario.title}`,
    ...rows.map(([name = '', text = '']) => `  ${name.padEnd(12)} ${text}`),
    ...expectationLines(result),
    ...(violation === null
      ? []
      : [
          'the last events before:',
          ...violation.lastEvents.slice(-EVENTS).map((line) => `  ${line}`),
        ]),
  ];
}

function expectationLines({ expectations }: RunResult): string[] {
  if (expectations.length === 0) return [];
  const rows = expectations.map(({ text, actual, isMet }) => [
    `  ${isMet ? 'as expected' : 'NOT expected'}`,
    text,
    `was ${actual}`,
  ]);
  const [first = 0, second = 0] = [0, 1].map((at) =>
    Math.max(...rows.map((row) => row[at]?.length ?? 0)),
  );
  return rows.map(([a = '', b = '', c = '']) => `${a.padEnd(first)}  ${b.padEnd(second)}  ${c}`);
}

/** One line for each run that did not pass, and a line with the totals of all runs. */
export function seedsLines(summaries: readonly Summary[], wallMs: number): string[] {
  const failed = summaries.filter(({ verdict }) => verdict !== 'passed');
  const sum = (key: 'steps' | 'payments' | 'faults') =>
    summaries.reduce((all, one) => all + one[key], 0);
  const steps = sum('steps');
  const head = ['seed', 'block', 'what'];
  const rows = failed
    .slice(0, 50)
    .map((one) => [String(one.seed), String(one.violation?.block ?? one.blocks), verdictLine(one)]);
  const seconds = Math.max(0.001, wallMs / 1000);
  return [
    ...(rows.length === 0 ? [] : leftLines([head, ...rows])),
    ...(failed.length > 50 ? [`… and ${figure(failed.length - 50)} more`] : []),
    `${counted(summaries.length, 'run')} in ${duration(wallMs)}: ${counted(steps, 'step')}` +
      ` (${figure(Math.round(steps / seconds))} a second), ` +
      `${counted(sum('payments'), 'payment')}, ${counted(sum('faults'), 'fault')}`,
  ];
}

/** Lines with aligned numbers and a text after them. */
function leftLines(rows: readonly (readonly string[])[]): string[] {
  const numbers = tableLines(rows.map((row) => row.slice(0, 2)));
  return rows.map((row, at) => `${numbers[at] ?? ''}  ${row[2] ?? ''}`);
}
