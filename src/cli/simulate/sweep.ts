/** `sluice simulate sweep`: runs a scenario with each of several values, and compares the runs. */
import { type Estimate, estimateOf } from '../../simulation/report/estimates.ts';
import { writeJson } from '../../simulation/report/json.ts';
import type { Figures, Summary } from '../../simulation/run/summary.ts';
import { sweep, type Variant } from '../../simulation/scenario/sweep.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { nameOf, problemLines, readGiven } from './given.ts';
import type { SWEEP_OPTIONS } from './options.ts';
import { badUsage, figure, type Token, tableLines, tokens, write } from './output.ts';
import { stopperOfSignals, watchedSeeds } from './run.ts';

/** One variant of the scenario, with its runs over all seeds; its figures are shown as means. */
type Row = { values: Variant['values']; failed: number; token: Token; summaries: Summary[] };

/** The exit code. */
export async function runSweep(
  place: string,
  assignments: string[],
  { seed: chosen, seeds: range, workers, isJson, ...left }: Values<typeof SWEEP_OPTIONS>,
): Promise<number> {
  left satisfies Nothing;
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { text, seed, readFile } = found.given;
  if (text === null) return badUsage([`${place} has no parameters: give a scenario`]);
  const swept = sweep(text, nameOf(place), assignments, readFile);
  if (!swept.ok) return badUsage(problemLines(place, swept.problems));
  const only = chosen ?? seed;
  const seeds = range ?? { from: only, to: only };
  const stopper = stopperOfSignals();
  const rows: Row[] = [];
  for (const { values, scenario } of swept.variants) {
    if (stopper.isStopped()) break;
    const source = { kind: 'scenario', scenario } as const;
    const outcomes = await watchedSeeds(source, { seeds, workers }, stopper);
    const summaries = outcomes.map(({ summary }) => summary);
    const failed = summaries.filter(({ verdict }) => verdict === 'failed').length;
    rows.push({ values, failed, token: scenario.network.token, summaries });
  }
  if (isJson) write([writeJson(rows).trimEnd()]);
  else write(sweepLines(rows));
  if (stopper.isStopped()) write([`stopped after ${rows.length} of ${swept.variants.length} rows`]);
  return stopper.isStopped() ? 130 : rows.some(({ failed }) => failed > 0) ? 1 : 0;
}

function sweepLines(rows: readonly Row[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const names = Object.keys(first.values);
  const head = [...names, ...COLUMNS.map(({ name }) => name), 'failed runs'];
  return tableLines([
    head,
    ...rows.map(({ values, failed, token, summaries }) => [
      ...names.map((name) => values[name] ?? ''),
      ...COLUMNS.map(({ write: text }) =>
        text(
          summaries.map(({ figures }) => figures),
          token,
        ),
      ),
      `${failed} of ${summaries.length}`,
    ]),
  ]);
}

type Column = { name: string; write(figures: readonly Figures[], token: Token): string };
type NumberFigure = {
  [Key in keyof Figures]: bigint extends Figures[Key] ? never : Key;
}[keyof Figures];
type AmountFigure = Exclude<keyof Figures, NumberFigure>;

/** A mean, and how far the ends of its 95 % interval are away when there are several runs. */
function withInterval({ mean, high }: Estimate, text: (value: number | null) => string): string {
  const away = mean === null || high === null ? null : high - mean;
  return away === null ? text(mean) : `${text(mean)} ±${text(away)}`;
}

function meanOf(name: string, key: NumberFigure): Column {
  const write = (figures: readonly Figures[]) =>
    withInterval(estimateOf(figures.flatMap((one) => one[key] ?? [])), figure);
  return { name, write };
}

function amountOf(name: string, key: AmountFigure): Column {
  return {
    name,
    write(figures, token) {
      const text = (amount: number | null) =>
        amount === null ? '-' : shortTokens(BigInt(Math.round(amount)), token);
      return withInterval(estimateOf(figures.map((one) => Number(one[key]))), text);
    },
  };
}

/** At most six decimals, which is precise enough for a mean. */
function shortTokens(amount: bigint, token: Token): string {
  return tokens(amount, token).replace(/(\.\d{6})\d+/, '$1');
}

const COLUMNS: readonly Column[] = [
  meanOf('arrived', 'successRate'),
  meanOf('p50 blocks', 'latencyBlocksP50'),
  meanOf('p99 blocks', 'latencyBlocksP99'),
  meanOf('messages', 'messagesPerPayment'),
  meanOf('depleted', 'depletedChannels'),
  meanOf('imbalance', 'imbalance'),
  amountOf('fees', 'feeIncome'),
  amountOf('fees paid', 'feesPaid'),
  amountOf('honest loss', 'honestLoss'),
];
