/**
 * Makes a failing scenario smaller as long as it fails in the same way, until only what the failure needs is left.
 * The result is a file that can be run again.
 */
import { stringify } from 'yaml';
import { type Fields, isFields, WAYS } from './explore/shrink-steps.ts';
import { failureOf, type Summary } from './run/summary.ts';
import { validate } from './scenario/parse.ts';
import type { ReadFile } from './scenario/schema/network.ts';
import type { Scenario } from './scenario/schema/schema.ts';

type Options = {
  /** The scenario as the plain data of its file. */
  tree: unknown;
  name: string;
  seed: number;
  /** Reads files that the scenario refers to. */
  readFile?: ReadFile;
  run(scenario: Scenario, seed: number): Promise<Summary>;
  /** The most runs that may be made. */
  mostRuns: number;
  /** Called before each run; true: the time is used up. */
  isOver?: () => boolean;
  onProgress?: (progress: ShrinkProgress) => void;
};
type ShrinkProgress = { runs: number; smaller: number; failure: string };
export type Shrunk = {
  tree: Fields;
  /** Summary of the run of the smaller scenario. */
  summary: Summary;
  /** The invariant that is violated, or the expectation that is not met. */
  failure: string;
  runs: number;
  /** How many times the scenario became smaller. */
  smaller: number;
  /** True: no way makes it smaller; false: runs or time were used up. */
  isSmallest: boolean;
};

/** Null: the given scenario does not fail. */
export async function shrink(options: Options): Promise<Shrunk | null> {
  const { name, seed, readFile = () => null, mostRuns, isOver = () => false } = options;
  let runs = 0;
  let smaller = 0;
  /** The scenarios that were tried, as text. */
  const tried = new Set<string>();

  async function attempt(tree: unknown): Promise<Summary | null> {
    const text = JSON.stringify(tree);
    if (tried.has(text)) return null;
    tried.add(text);
    const parsed = validate({ value: tree, lineOf: () => null }, name, readFile);
    if (!parsed.ok) return null;
    runs += 1;
    return options.run(parsed.scenario, seed);
  }

  const first = isFields(options.tree) ? await attempt(options.tree) : null;
  const failure = first === null ? null : failureOf(first);
  if (first === null || failure === null || !isFields(options.tree)) return null;
  let best = { tree: options.tree, summary: first };
  const isSpent = () => runs >= mostRuns || isOver();

  /** Tries one way; takes the first smaller scenario that fails in the same way. */
  async function step(way: (typeof WAYS)[number]): Promise<boolean> {
    const { tree, summary } = best;
    for (const candidate of way(tree, summary.violation?.block ?? null)) {
      if (isSpent()) return false;
      const found = await attempt(candidate);
      options.onProgress?.({ runs, smaller, failure: failure ?? '' });
      if (found === null || failureOf(found) !== failure) continue;
      best = { tree: candidate, summary: found };
      smaller += 1;
      return true;
    }
    return false;
  }

  for (let before = -1; before < smaller && !isSpent(); ) {
    before = smaller;
    for (const way of WAYS) while (await step(way));
  }
  return { ...best, failure, runs, smaller, isSmallest: !isSpent() };
}

/** The smaller scenario as a file, which runs with the failing seed by default. */
export function shrunkText({ tree, failure, summary }: Shrunk, from: string): string {
  const { seed, trace } = summary;
  const head = [
    `# What is left of ${from} with seed ${seed} so that it still fails: ${failure}`,
    `# trace ${trace}`,
  ];
  const clean = head.map((line) => line.replaceAll(/\s+/g, ' '));
  return `${clean.join('\n')}\n${stringify({ ...tree, seed }, { lineWidth: 110 })}`;
}
