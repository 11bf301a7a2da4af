/** `sluice simulate compare A B`: compares two scenarios with the same seeds, or two results. */
import { readFileSync } from 'node:fs';
import { compareHtml, compareMany, type PairedFigure } from '../../simulation/report/compare.ts';
import { readJson } from '../../simulation/report/json.ts';
import type { RunResult } from '../../simulation/report/results/result.ts';
import { keyFigures } from '../../simulation/report/results/runs.ts';
import { mayBeChance } from '../../simulation/report/results/statistics.ts';
import type { SeedRange } from '../../simulation/workers/run-seeds.ts';
import type { Stopper } from '../../simulation/workers/stopper.ts';
import { type Bad, readGiven } from './given.ts';
import { badUsage, tableLines, write } from './output.ts';
import { saved, stopperOfSignals, watchedSeeds } from './run.ts';

type Choices = {
  seed: number | null;
  seeds: SeedRange | null;
  workers: number;
  out: string | null;
};

/** The exit code. */
export async function runCompare(
  places: readonly [string, string],
  { seed, seeds, workers, out }: Choices,
): Promise<number> {
  const stopper = stopperOfSignals();
  const sides = places.map(sideOf);
  // Both are checked before any run, so that a bad name is reported at once.
  const problems = sides.flatMap((side) => (side.ok ? [] : side.problems));
  if (problems.length > 0) return badUsage(problems);
  const both = sides.flatMap((side) => (side.ok ? [side] : []));
  const only = seed ?? both[0]?.seed ?? 1;
  const range = seeds ?? { from: only, to: only };
  const [as = [], bs = []] = await both.reduce<Promise<RunResult[][]>>(
    async (before, side) => [...(await before), await side.run({ range, workers, stopper })],
    Promise.resolve([]),
  );
  if (stopper.isStopped()) return 130;
  const [a] = as;
  const [b] = bs;
  if (a === undefined || b === undefined) return badUsage(['there is no run to compare']);
  const paired = as.length > 1 ? compareMany(as, bs) : [];
  write(paired.length === 0 ? singleLines(a, b) : pairedLines(paired, as.length));
  write(
    [a, b].map(
      (one) => `trace ${one.trace} of ${one.scenario.name} with seed ${one.seed}: ${one.verdict}`,
    ),
  );
  const html = { name: 'compare.html', text: compareHtml(a, b, undefined, paired) };
  if (out !== null && !saved(out, [html])) return 2;
  return [...as, ...bs].every(({ verdict }) => verdict === 'passed') ? 0 : 1;
}

type Order = { range: SeedRange; workers: number; stopper: Stopper };
type Side = { ok: true; seed: number; run(order: Order): Promise<RunResult[]> };

function sideOf(place: string): Side | Bad {
  if (place.endsWith('.json')) {
    const result = resultIn(place);
    if (result !== null && !('problem' in result))
      return { ok: true, seed: result.seed, run: async () => [result] };
    // A JSON file that is no result may be a scenario.
  }
  const found = readGiven(place);
  if (!found.ok) return found;
  const { source, seed } = found.given;
  return {
    ok: true,
    seed,
    async run({ range, workers, stopper }) {
      const order = { seeds: range, workers, isWhole: true };
      const outcomes = await watchedSeeds(source, order, stopper);
      return outcomes.flatMap(({ result }) => result ?? []);
    },
  };
}

function resultIn(path: string): ReturnType<typeof readJson> | null {
  try {
    return readJson(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

function singleLines(a: RunResult, b: RunResult): string[] {
  const right = keyFigures(b);
  const rows = keyFigures(a).map(({ name, value, write: text }, at) => {
    const other = right[at]?.value ?? null;
    return [name, value === null ? '-' : text(value), other === null ? '-' : text(other)];
  });
  return tableLines([['', 'A', 'B'], ...rows]);
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
