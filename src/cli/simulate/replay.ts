/** `sluice simulate replay`: runs a scenario once more and prints its events. */
import { createRunner } from '../../simulation/workers/runner.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { programCommit } from './commit.ts';
import { readGiven } from './given.ts';
import type { REPLAY_OPTIONS } from './options.ts';
import { badUsage, write } from './output.ts';
import { stopperOfSignals } from './run.ts';
import { exitCodeOf, verdictLine } from './verdict.ts';

/** How many events are printed without --from-step: the last ones. With it at most `MOST`. */
const LAST = 60;
const MOST = 200_000;

/** The exit code; 0 also when the run ends at the requested step. */
export async function runReplay(
  place: string,
  { seed: chosen, fromStep, untilStep, ...left }: Values<typeof REPLAY_OPTIONS>,
): Promise<number> {
  left satisfies Nothing;
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { source, seed: own } = found.given;
  const seed = chosen ?? own;
  const events = { fromStep, untilStep, most: fromStep === null ? LAST : MOST };
  const stopper = stopperOfSignals();
  const runner = createRunner({ stopper });
  const order = { source, seed, commit: programCommit(), isWhole: false, events };
  const { summary, events: lines } = await runner.run(order);
  await runner.end();
  write(['step ms who what', ...lines]);
  const isAsked = summary.verdict === 'stopped' && !stopper.isStopped();
  write([
    `trace ${summary.trace || '-'}`,
    isAsked ? `ended after step ${untilStep}, as asked` : verdictLine(summary),
  ]);
  return isAsked ? 0 : exitCodeOf(summary.verdict);
}
