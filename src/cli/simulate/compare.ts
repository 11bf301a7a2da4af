/** `sluice simulate compare A B`: compares two scenarios with the same seeds. */
import { compareMany, type PairedFigure } from '../../simulation/report/compare.ts';
import { keyFigures } from '../../simulation/report/results/figures.ts';
import type { RunResult } from '../../simulation/report/results/result.ts';
import { mayBeChance } from '../../simulation/report/results/statistics.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { INTERRUPTED } from '../process/terminal.ts';
import { readGiven } from './given.ts';
import type { COMPARE_OPTIONS } from './options.ts';
import { badUsage, tableLines, write } from './output.ts';
import { stopperOfSignals, watchedSeeds } from './run.ts';

/** The exit code. */
export async function runCompare(
  places: readonly [string, string],
  { seed, seeds, workers, ...left }: Values<typeof COMPARE_OPTIONS>,
): Promise<number> {
  left satisfies Nothing;
  const found = places.map(readGiven);
  // Both are checked before any run, so that a bad name is reported at once.
  const problems = found.flatMap((one) => (one.ok ? [] : one.problems));
  if (problems.length > 0) return badUsage(problems);
  const sides = found.flatMap((one) => (one.ok ? [one.given] : []));
  const only = seed ?? sides[0]?.seed ?? 1;
  const order = { seeds: seeds ?? { from: only, to: only }, workers, isWhole: true };
  const stopper = stopperOfSignals();
  const results: RunResult[][] = [];
  for (const { source } of sides) {
    const outcomes = await watchedSeeds(source, order, stopper);
    results.push(outcomes.flatMap(({ result }) => result ?? []));
  }
  if (stopper.isStopped()) return INTERRUPTED;
  const [as = [], bs = []] = results;
  const [[a], [b]] = [as, bs];
  if (a === undefined || b === undefined) return badUsage(['there is no run to compare']);
  write(
    as.length > 1
      ? pairedLines(compareMany(as, bs), as.length)
      : tableLines([['', 'A', 'B'], ...figureRows(a, b)]),
  );
  write(
    [a, b].map(
      (one) => `trace ${one.trace} of ${one.scenario.name} with seed ${one.seed}: ${one.verdict}`,
    ),
  );
  return [...as, ...bs].every(({ verdict }) => verdict === 'passed') ? 0 : 1;
}

/** A row for each figure: its name, and its values in both runs. */
export function figureRows(a: RunResult, b: RunResult): string[][] {
  const right = keyFigures(b);
  return keyFigures(a).map(({ name, said }, at) => [
    name,
    said?.text ?? '-',
    right[at]?.said?.text ?? '-',
  ]);
}

function pairedLines(paired: readonly PairedFigure[], pairs: number): string[] {
  const rows = paired.map(({ name, meanA, meanB, difference, write: text }) => {
    const means = [meanA, meanB].map((value) => (value === null ? '-' : text(value)));
    if (difference === null) return [name, ...means, '-', '-', '-'];
    const { mean, low, high } = difference;
    const isChance = mayBeChance(difference);
    return [
      name,
      ...means,
      text(mean),
      `${text(low)} to ${text(high)}`,
      isChance === null ? '-' : isChance ? 'possibly' : 'no',
    ];
  });
  const head = [`means of ${pairs} pairs`, 'A', 'B', 'B less A', '95 % interval', 'chance alone?'];
  return tableLines([head, ...rows]);
}
