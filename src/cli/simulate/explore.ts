/** `sluice simulate explore`: looks for defects in small worlds, made by changing those that met something new. */
import {
  exploredFiles,
  failureFile,
  kindCounts,
  pairCounts,
  unmetLines,
} from '../../simulation/explore/coverage.ts';
import { type Explored, explore } from '../../simulation/explore/explore.ts';
import { writeJson } from '../../simulation/report/json.ts';
import type { Scenario } from '../../simulation/scenario/schema/schema.ts';
import { createRunner, type Runner } from '../../simulation/workers/runner.ts';
import type { Stopper } from '../../simulation/workers/stopper.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { programCommit } from './commit.ts';
import type { EXPLORE_OPTIONS } from './options.ts';
import { counted, duration, figure, tableLines, write } from './output.ts';
import { createProgressLine, createRate } from './progress.ts';
import { saved, stopperOfSignals } from './run.ts';
import { verdictLine } from './verdict.ts';

const USUAL_RUNS = 300;
/** Most lines on the terminal about states in which some event was never met. */
const MOST_LINES = 60;

/** The exit code: 1 when a world failed. */
export async function runExplore(options: Values<typeof EXPLORE_OPTIONS>): Promise<number> {
  const { seed, runs: given, minutes, workers, isUnsteered, out, isJson, ...left } = options;
  left satisfies Nothing;
  const mostRuns = given ?? (minutes === null ? USUAL_RUNS : Number.MAX_SAFE_INTEGER);
  const stopper = stopperOfSignals();
  const line = createProgressLine();
  const rate = createRate('runs');
  const begun = performance.now();
  const passed = () => performance.now() - begun;
  const pool = createPool(stopper, workers);
  const most = minutes === null ? null : minutes * 60_000;
  const explored = await explore({
    seed: seed ?? 1,
    mostRuns,
    isSteered: !isUnsteered,
    run: pool.run,
    isOver: () => stopper.isStopped() || (most !== null && passed() > most),
    onProgress: ({ runs, pairs, failed }) =>
      line.show(
        Math.max(runs / mostRuns, most === null ? 0 : passed() / most),
        `${counted(runs, 'run')}, ${figure(pairs)} pairs, ${failed} failed, ${rate(runs)}`,
      ),
  });
  line.clear();
  await pool.end();
  if (out !== null && !saved(out, exploredFiles(explored))) return 2;
  write(
    isJson
      ? [writeJson({ ...explored, worlds: undefined }).trimEnd()]
      : exploredLines(explored, passed()),
  );
  if (!isJson) write(failureLines(explored, out));
  if (stopper.isStopped()) return 130;
  return explored.failures.length > 0 ? 1 : 0;
}

/** A pool of `workers` threads; a free one takes the next world. */
function createPool(stopper: Stopper, workers: number) {
  const all = Array.from({ length: workers }, () => createRunner({ stopper }));
  const free: Runner[] = [...all];
  const waiting: ((runner: Runner) => void)[] = [];

  async function run(scenario: Scenario, seed: number) {
    const runner = free.pop() ?? (await new Promise<Runner>((resolve) => waiting.push(resolve)));
    const source = { kind: 'scenario', scenario } as const;
    const order = { source, seed, commit: programCommit(), isWhole: false, events: null };
    const outcome = await runner.run({ ...order, isMetWanted: true });
    const next = waiting.shift();
    if (next === undefined) free.push(runner);
    else next(runner);
    return outcome;
  }

  return { run, end: async () => void (await Promise.all(all.map((runner) => runner.end()))) };
}

function exploredLines(explored: Explored, wallMs: number): string[] {
  const { runs, corpus, seed, isSteered, outcomes, steps } = explored;
  const counts = pairCounts(explored);
  const unmet = unmetLines(counts);
  const rows = kindCounts(counts).map(({ kind, met, possible }) => [
    kind,
    ...[met, possible].map(String),
  ]);
  const met = counts.filter((one) => one.runs > 0).length;
  const more = unmet.length - MOST_LINES;
  return [
    ...tableLines([['actor', 'met', 'possible'], ...rows, ['all', `${met}`, `${counts.length}`]]),
    'nobody met:',
    ...unmet.slice(0, MOST_LINES).map((line) => `  ${line}`),
    ...(more > 0 ? [`  … and of ${counted(more, 'state')} more: --out has them all`] : []),
    `${isSteered ? 'steered' : 'not steered'}, from seed ${seed}: ${counted(runs, 'run')} in ` +
      `${duration(wallMs)}, ${counted(steps, 'step')}, ${counted(corpus, 'world')} kept`,
    `met: ${met} of ${counts.length} pairs of state and event, and ${figure(outcomes)} outcomes`,
  ];
}

function failureLines({ failures, runs }: Explored, out: string | null): string[] {
  if (failures.length === 0) return [`passed: ${counted(runs, 'run')}, nothing was violated`];
  return [
    ...failures.flatMap(({ summary, run, times }, n) => [
      `run ${run}, ${counted(times, 'time')}: ${verdictLine(summary)}`,
      ...(out === null ? [] : [`  again: sluice simulate ${out}/${failureFile(n)}`]),
    ]),
    ...(out === null ? ['--out keeps the worlds that failed'] : []),
    `failed: ${counted(failures.length, 'way')} in ${counted(runs, 'run')}`,
  ];
}
