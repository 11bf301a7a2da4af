/** `sluice simulate replay`: runs a scenario once more and prints its events. */
import { createRunner } from '../../simulation/workers/runner.ts';
import { programCommit } from './commit.ts';
import { type Given, readGiven } from './given.ts';
import { badUsage, write } from './output.ts';
import { stopperOfSignals } from './run.ts';
import { exitCodeOf, verdictLine } from './verdict.ts';

/** How many events are printed without --from-step: the last ones. With it at most `MOST`. */
const LAST = 60;
const MOST = 200_000;

type Choices = { seed: number | null; fromStep: number | null; untilStep: number | null };

/** The exit code. */
export async function runReplay(
  place: string,
  { seed, fromStep, untilStep }: Choices,
): Promise<number> {
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { given } = found;
  const most = fromStep === null ? LAST : MOST;
  return replay(given, seed ?? given.seed, { fromStep, untilStep, most });
}

type Events = { fromStep: number | null; untilStep: number | null; most: number };

/** The exit code; 0 also when the run ends at the requested step. */
async function replay({ source }: Given, seed: number, events: Events): Promise<number> {
  const stopper = stopperOfSignals();
  const runner = createRunner({ stopper });
  const order = { source, seed, commit: programCommit(), isWhole: false, events };
  const { summary, events: lines } = await runner.run(order);
  await runner.end();
  write(['step ms who what', ...lines]);
  const isAsked = summary.verdict === 'stopped' && !stopper.isStopped();
  write([
    `trace ${summary.trace || '-'}`,
    isAsked ? `ended after step ${events.untilStep}, as asked` : verdictLine(summary),
  ]);
  return isAsked ? 0 : exitCodeOf(summary.verdict);
}
