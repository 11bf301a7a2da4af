/** `sluice simulate shrink`: reduces a failing scenario to what its failure needs. */
import { type Shrunk, shrink, shrunkText } from '../../simulation/shrink.ts';
import { createRunner } from '../../simulation/workers/runner.ts';
import type { Nothing, Values } from '../options/settings.ts';
import { print, refuse, say } from '../process/terminal.ts';
import { programCommit } from './commit.ts';
import { nameOf, readGiven } from './given.ts';
import type { SHRINK_OPTIONS } from './options.ts';
import { badUsage, counted, write } from './output.ts';
import { createProgressLine } from './progress.ts';
import { saved, stopperOfSignals } from './run.ts';
import { verdictLine } from './verdict.ts';

/** The exit code. */
export async function runShrink(
  place: string,
  { seed: chosen, runs, minutes, out, ...left }: Values<typeof SHRINK_OPTIONS>,
): Promise<number> {
  left satisfies Nothing;
  const found = readGiven(place);
  if (!found.ok) return badUsage(found.problems);
  const { given } = found;
  const seed = chosen ?? given.seed;
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
