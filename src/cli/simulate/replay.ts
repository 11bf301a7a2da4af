/** `sluice simulate replay`: runs a scenario once more and prints its events. */
import { Command } from 'commander';
import { createRunner } from '../../simulation/workers/runner.ts';
import { declare, optional, readerOf, usageError } from '../settings.ts';
import { wholeNumber } from '../values.ts';
import { programCommit } from './commit.ts';
import { type Given, readGiven } from './given.ts';
import { badUsage, write } from './output.ts';
import { stopperOfSignals } from './run.ts';
import { SEED } from './settings.ts';
import { exitCodeOf, verdictLine } from './verdict.ts';

const STEP = wholeNumber(0, 999_999_999_999);
const FROM = optional('--from-step <n>', 'print all events from this step on', STEP);
const UNTIL = optional('--until-step <n>', 'run to this step and no further', STEP);
/** How many events are printed without --from-step: the last ones. With it at most `MOST`. */
const LAST = 60;
const MOST = 200_000;

export function replayCommand(): Command {
  const command = new Command('replay')
    .description('run again and print the last events: time in milliseconds, who, what')
    .argument('<scenario>', 'a file, a name of "simulate list", or mix');
  return declare(command, [SEED, FROM, UNTIL]).action(async (place: string) => {
    const read = readerOf(command);
    const [fromStep, untilStep] = [read(FROM), read(UNTIL)];
    if (fromStep !== null && untilStep !== null && fromStep > untilStep)
      usageError(command, '--from-step must not be above --until-step');
    const found = readGiven(place);
    if (!found.ok) process.exit(badUsage(found.problems));
    const { given } = found;
    const most = fromStep === null ? LAST : MOST;
    process.exit(await replay(given, read(SEED) ?? given.seed, { fromStep, untilStep, most }));
  });
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
