/** `sluice simulate FILE|NAME`: one run, or a run with each of many seeds. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../basics/message-of.ts';
import { writeJson } from '../../simulation/report/json.ts';
import { type ReportFile, reportFiles } from '../../simulation/report-files.ts';
import type { Summary } from '../../simulation/run/summary.ts';
import type { Outcome, Source } from '../../simulation/workers/order.ts';
import { runSeeds, type SeedRange } from '../../simulation/workers/run-seeds.ts';
import { createRunner } from '../../simulation/workers/runner.ts';
import { createStopper, type Stopper } from '../../simulation/workers/stopper.ts';
import type { Values } from '../options/settings.ts';
import { INTERRUPTED, onStopSignal, refuse, say } from '../process/terminal.ts';
import { programCommit } from './commit.ts';
import type { Given } from './given.ts';
import { inspectCommand, isTooLarge } from './inspect.ts';
import type { RUN_OPTIONS } from './options.ts';
import { counted, write } from './output.ts';
import { createProgressLine, createRate } from './progress.ts';
import { exitCodeOf, resultLines, seedsLines, verdictLine } from './verdict.ts';

/** How many of a run's last events are kept for its report. */
const EVENTS_KEPT = 2_000;

type Choices = Pick<Values<typeof RUN_OPTIONS>, 'out' | 'isJson'>;

/** Ctrl-C stops the runs; a second one ends the process. `left`: says what there will be after the first. */
export function stopperOfSignals(left = 'the report will tell of what there is'): Stopper {
  const stopper = createStopper();
  onStopSignal({
    stop() {
      say(`stopping: ${left}. Once more ends it at once`);
      stopper.stop();
    },
    force: () => process.exit(INTERRUPTED),
  });
  return stopper;
}

/** The exit code. */
export async function runOne(
  given: Given,
  seed: number,
  { out, isJson }: Choices,
): Promise<number> {
  const stopper = stopperOfSignals();
  say(`running ${given.place} with seed ${seed}`);
  const run = await watchedRun(given.source, seed, stopper, out !== null);
  const { summary, result } = run;
  if (isJson) write([writeJson(result ?? summary).trimEnd()]);
  else if (result !== null) write(resultLines(result, summary.wallMs));
  if (result === null) say(summary.violation?.text ?? '');
  if (out !== null && result !== null && !saved(out, reportFiles(result, run))) return 2;
  ending(given, summary, isJson);
  return exitCodeOf(summary.verdict);
}

/** Runs once, and shows the progress. `arePaymentsWanted`: the record of each payment, for files. */
export async function watchedRun(
  source: Source,
  seed: number,
  stopper: Stopper,
  arePaymentsWanted = false,
): Promise<Outcome> {
  const line = createProgressLine();
  const rate = createRate('steps');
  const runner = createRunner({ stopper });
  const events = { fromStep: null, untilStep: null, most: EVENTS_KEPT };
  const commit = programCommit();
  const order = { source, seed, commit, isWhole: true, events, arePaymentsWanted };
  const outcome = await runner.run(order, ({ block, blocks, payments, steps }) =>
    line.show(
      block / blocks,
      `block ${block} of ${blocks}, ${counted(payments, 'payment')}, ${rate(steps)}`,
    ),
  );
  line.clear();
  await runner.end();
  return outcome;
}

/** The last two lines of every run: the trace, and the verdict in words. */
function ending({ place, source }: Given, summary: Summary, isJson: boolean) {
  const { trace, violation, seed, hasCrashed } = summary;
  const lines = [`trace ${trace || '-'}`, verdictLine(summary)];
  if (violation !== null && !hasCrashed && !isTooLarge(source))
    lines.unshift(`see the moment before it: ${inspectCommand(place, seed, violation.step)}`);
  if (isJson) for (const line of lines) say(line);
  else write(lines);
}

/** The exit code. */
export async function runMany(given: Given, choices: Choices & Watched): Promise<number> {
  const { out, isJson } = choices;
  const { source, place } = given;
  const begun = performance.now();
  const stopper = stopperOfSignals();
  const { from, to } = choices.seeds;
  say(`running ${place} with seeds ${from} to ${to}, ${choices.workers} at the same time`);
  const outcomes = await watchedSeeds(source, choices, stopper);
  const summaries = outcomes.map(({ summary }) => summary);
  const wallMs = performance.now() - begun;
  const failed = summaries.filter(({ verdict }) => verdict === 'failed');
  if (isJson) write([writeJson(summaries).trimEnd()]);
  else write(seedsLines(summaries, wallMs));
  const [first] = failed;
  if (out !== null && first !== undefined && !stopper.isStopped()) {
    const run = await watchedRun(source, first.seed, stopper, true);
    if (run.result !== null && !saved(out, reportFiles(run.result, run))) return 2;
  }
  const again = `sluice simulate ${place} --seed ${first?.seed ?? 0}`;
  const told = isJson ? say : (line: string) => write([line]);
  if (first !== undefined) told(`trace ${first.trace || '-'} of seed ${first.seed}: ${again}`);
  if (first?.violation && !first.hasCrashed)
    told(`see the moment before it: ${inspectCommand(place, first.seed, first.violation.step)}`);
  const all = counted(summaries.length, 'run');
  const wanted = to - from + 1;
  const isLate = first === undefined && !stopper.isStopped() && summaries.length < wanted;
  if (isLate) told(`the time is over: ${wanted - summaries.length} of ${wanted} were not begun`);
  if (failed.length > 0) told(`failed: ${failed.length} of ${all}`);
  else if (!stopper.isStopped()) told(`passed: ${all}, nothing was violated`);
  if (stopper.isStopped()) told(`stopped after ${all} of ${wanted}`);
  return stopper.isStopped() ? INTERRUPTED : failed.length > 0 ? 1 : 0;
}

type Watched = {
  seeds: SeedRange;
  workers: number;
  isStoppedByFailure?: boolean;
  isWhole?: boolean;
  minutes?: number | null;
};

/** Runs all seeds, with a progress line on a terminal. */
export async function watchedSeeds(
  source: Source,
  { seeds, workers, isStoppedByFailure = false, isWhole = false, minutes = null }: Watched,
  stopper: Stopper,
): Promise<Outcome[]> {
  const line = createProgressLine();
  const rate = createRate('runs');
  const begun = performance.now();
  const outcomes = await runSeeds({
    source,
    seeds,
    workers,
    stopper,
    isStoppedByFailure,
    isWhole,
    isOver: () => minutes !== null && performance.now() - begun > minutes * 60_000,
    commit: programCommit(),
    onProgress: ({ done, all, failed }) =>
      line.show(done / all, `${done} of ${counted(all, 'run')}, ${failed} failed, ${rate(done)}`),
  });
  line.clear();
  return outcomes;
}

/** Writes the files into the folder; when that fails, prints why and answers false. */
export function saved(folder: string, files: readonly ReportFile[]): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
    say(`written: ${files.map(({ name }) => join(folder, name)).join(', ')}`);
    return true;
  } catch (error) {
    refuse(`the report cannot be written: ${messageOf(error)}`);
    return false;
  }
}
