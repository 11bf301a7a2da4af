/** `sluice simulate shrink`: reduces a failing scenario to what its failure needs. */
import { Command } from 'commander';
import { type Shrunk, shrink, shrunkText } from '../../simulation/shrink.ts';
import { createRunner } from '../../simulation/workers/runner.ts';
import { declare, defaulting, readerOf } from '../settings.ts';
import { print, refuse, say } from '../terminal.ts';
import { wholeNumber } from '../values.ts';
import { programCommit } from './commit.ts';
import { type Given, nameOf, readGiven } from './given.ts';
import { badUsage, counted, write } from './output.ts';
import { createProgressLine } from './progress.ts';
import { saved, stopperOfSignals } from './run.ts';
import { OUT, SEED } from './settings.ts';
import { verdictLine } from './verdict.ts';

const RUNS = defaulting('--runs <n>', 'most runs to try', wholeNumber(1, 100_000), '300');
const MINUTES = defaulting('--minutes <n>', 'most time to take', wholeNumber(1, 1_440), '10');

export function shrinkCommand(): Command {
  const command = new Command('shrink')
    .description('make a failing scenario smaller while it fails in the same way')
    .argument('<scenario>', 'a file, a name of "simulate list", or mix');
  return declare(command, [SEED, RUNS, MINUTES, OUT]).action(async (place: string) => {
    const read = readerOf(command);
    const found = readGiven(place);
    if (!found.ok) process.exit(badUsage(found.problems));
    const { given } = found;
    const limits = { runs: read(RUNS), minutes: read(MINUTES), out: read(OUT) };
    process.exit(await runShrink(given, read(SEED) ?? given.seed, limits));
  });
}

type Limits = { runs: number; minutes: number; out: string | null };

/** The exit code. */
async function runShrink(
  given: Given,
  seed: number,
  { runs, minutes, out }: Limits,
): Promise<number> {
  const stopper = stopperOfSignals();
  const line = createProgressLine();
  const runner = createRunner({ stopper });
  const begun = performance.now();
  const shrunk = await shrink({
    tree: given.treeOf(seed),
    name: nameOf(given.place),
    seed,
    readFile: given.readFile,
    mostRuns: runs,
    async run(scenario) {
      const order = {
        source: { kind: 'scenario', scenario },
        seed,
        commit: programCommit(),
      } as const;
      const { summary } = await runner.run({ ...order, isWhole: false, events: null });
      return summary;
    },
    isOver: () => stopper.isStopped() || performance.now() - begun > minutes * 60_000,
    onProgress: (progress) =>
      line.show(
        progress.runs / runs,
        `${counted(progress.runs, 'run')}, smaller ${progress.smaller} times`,
      ),
  });
  line.clear();
  await runner.end();
  if (shrunk === null)
    return stopper.isStopped() ? 130 : refuse(`${given.place} does not fail with seed ${seed}`);
  const text = shrunkText(shrunk, given.place);
  print(text.trimEnd());
  if (out !== null && !saved(out, [{ name: 'shrunk.yaml', text }])) return 2;
  say(wayText(shrunk));
  write([`# trace ${shrunk.summary.trace || '-'}`, `# ${verdictLine(shrunk.summary)}`]);
  return stopper.isStopped() ? 130 : 0;
}

function wayText({ runs, smaller, isSmallest }: Shrunk): string {
  const end = isSmallest ? 'nothing more can be taken away' : 'it may not be the smallest';
  return `${counted(runs, 'run')}, ${counted(smaller, 'step')} smaller: ${end}`;
}
