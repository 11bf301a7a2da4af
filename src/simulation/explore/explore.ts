/**
 * Searches for situations that small random networks do not meet by themselves. Scenarios that met something new
 * are kept, and new ones are made from them, more often from those that met something rare. All scenarios of a
 * generation are drawn before any of them runs, so that the findings follow from the seed, however many run at the
 * same time.
 */
import { mixTree } from '../run/mix/mix.ts';
import { failureOf, type Summary } from '../run/summary.ts';
import { validate } from '../scenario/parse.ts';
import type { Scenario } from '../scenario/schema/schema.ts';
import { createRandomness, type Draw } from '../world/randomness.ts';
import { HIGHEST_SEED } from '../world/seeds.ts';
import { type Candidate, changedBy } from './changes.ts';
import { createCorpus } from './corpus.ts';
import type { Met } from './meetings.ts';
import { isFields } from './shrink-steps.ts';

export type Explored = {
  seed: number;
  isSteered: boolean;
  runs: number;
  corpus: number;
  /** Few worlds that together met all that any met, the best first. */
  worlds: readonly Candidate[];
  steps: number;
  /** Pair of state and event -> how many runs met it. */
  pairs: ReadonlyMap<string, number>;
  outcomes: number;
  /** How many pairs and outcomes were known after so many runs. */
  progress: readonly { runs: number; pairs: number; outcomes: number }[];
  /** The first run of each way to fail, and how many failed in that way. */
  failures: readonly Failure[];
};
export type Failure = Candidate & { failure: string; summary: Summary; run: number; times: number };
type Options = {
  seed: number;
  mostRuns: number;
  /** False: each scenario is drawn at random, as `mix` does, for comparison. */
  isSteered: boolean;
  /** Runs a scenario, and returns what it met. */
  run(scenario: Scenario, seed: number): Promise<{ summary: Summary; met: Met }>;
  /** Called before each generation; true: the time is used up. */
  isOver?: () => boolean;
  onProgress?: (progress: { runs: number; pairs: number; corpus: number; failed: number }) => void;
};

/** Runs in one generation. */
const GENERATION = 8;
/** In the first generations, and for this share of the later scenarios, scenarios are drawn at random. */
const FIRST = 3;
const NEW_SHARE = 0.25;
const MOST_ATTEMPTS = 20;

export async function explore(options: Options): Promise<Explored> {
  const { seed, mostRuns, isSteered, isOver = () => false, onProgress } = options;
  const randomness = createRandomness(seed);
  const corpus = createCorpus();
  const failures = new Map<string, Failure>();
  /** Scenarios that were made from others, as texts. */
  const tried = new Set<string>();
  const progress: { runs: number; pairs: number; outcomes: number }[] = [];
  let runs = 0;
  let steps = 0;
  let failed = 0;

  function note(candidate: Candidate, { summary, met }: { summary: Summary; met: Met }) {
    runs += 1;
    steps += summary.steps;
    const failure = failureOf(summary);
    // A run that fails ends early: what is made of its world fails in the same way, mostly.
    if (failure === null) return corpus.add(candidate, met, summary.steps);
    failed += 1;
    const known = failures.get(failure);
    if (known !== undefined) known.times += 1;
    else failures.set(failure, { ...candidate, failure, summary, run: runs, times: 1 });
  }

  for (let generation = 0; runs < mostRuns && !isOver(); generation++) {
    const size = Math.min(GENERATION, mostRuns - runs);
    const made = Array.from({ length: size }, (_, n) => {
      const draw = randomness.of(`explore ${generation} ${n}`);
      return isSteered && generation >= FIRST && !draw.happens(NEW_SHARE)
        ? other(draw)
        : drawn(draw);
    });
    const found = await Promise.all(
      made.map(({ scenario, candidate }) => options.run(scenario, candidate.seed)),
    );
    if (found.some(({ summary }) => summary.verdict === 'stopped')) break;
    for (const [n, one] of found.entries()) {
      const world = made[n];
      if (world !== undefined) note(world.candidate, one);
    }
    progress.push({ runs, pairs: corpus.pairs().size, outcomes: corpus.outcomeCount() });
    onProgress?.({ runs, pairs: corpus.pairs().size, corpus: corpus.size(), failed });
  }

  /** A scenario made from a kept one and a second one. */
  function other(draw: Draw): Made {
    for (let left = MOST_ATTEMPTS; left > 0; left--) {
      const candidate = corpus.pick(draw);
      const donor = draw.happens(0.5) ? corpus.pick(draw) : drawn(draw).candidate;
      if (candidate === null || donor === null) break;
      const made = madeOf(changedBy(draw, candidate, donor));
      const text = JSON.stringify(made?.candidate);
      if (made === null || tried.has(text)) continue;
      tried.add(text);
      return made;
    }
    return drawn(draw);
  }

  return {
    seed,
    isSteered,
    runs,
    corpus: corpus.size(),
    worlds: corpus.best(),
    steps,
    pairs: corpus.pairs(),
    outcomes: corpus.outcomeCount(),
    progress,
    failures: [...failures.values()],
  };
}

type Made = { candidate: Candidate; scenario: Scenario };

function drawn(draw: Draw): Made {
  const seed = draw.integer(0, HIGHEST_SEED);
  const tree = mixTree(seed);
  const made = isFields(tree) ? madeOf({ tree, seed }) : null;
  if (made === null) throw new Error(`simulation: the small world of ${seed} is no scenario`);
  return made;
}

/** Null: the result is no valid scenario. */
function madeOf(candidate: Candidate): Made | null {
  const parsed = validate({ value: candidate.tree, lineOf: () => null }, 'explore');
  return parsed.ok ? { candidate, scenario: parsed.scenario } : null;
}
