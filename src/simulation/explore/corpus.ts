/** The scenarios that met something that none before had met, and how often everything was met. */
import type { Draw } from '../world/randomness.ts';
import type { Candidate } from './changes.ts';
import type { Met } from './meetings.ts';

type Kept = Candidate & Met & { steps: number };

/** Of so many randomly drawn scenarios, the one is taken that is worth most. */
const DRAWN = 4;

export function createCorpus() {
  const kept: Kept[] = [];
  const pairs = new Map<string, number>();
  const outcomes = new Map<string, number>();

  function count(counts: Map<string, number>, keys: readonly string[]): number {
    let first = 0;
    for (const key of keys) {
      const before = counts.get(key) ?? 0;
      if (before === 0) first += 1;
      counts.set(key, before + 1);
    }
    return first;
  }

  /** A scenario is worth more the rarer its outcomes are, and less the longer it takes. */
  function worth({ outcomes: met, steps }: Kept): number {
    const rarity = met.reduce((sum, key) => sum + 1 / (outcomes.get(key) ?? 1), 0);
    return rarity / Math.sqrt(Math.max(1, steps));
  }

  return {
    /** Adds what a run has met. The scenario is kept when something of it is new. */
    add(candidate: Candidate, met: Met, steps: number) {
      const isNew = count(pairs, met.pairs) + count(outcomes, met.outcomes) > 0;
      if (isNew) kept.push({ ...candidate, ...met, steps });
    },
    /** A scenario to go on from; null: none is kept yet. */
    pick(draw: Draw): Candidate | null {
      if (kept.length === 0) return null;
      const drawn = Array.from({ length: DRAWN }, () => draw.pick(kept));
      return drawn.reduce((best, one) => (worth(one) > worth(best) ? one : best));
    },
    size: () => kept.length,
    /** Few of the scenarios, which together met all that any met: those first that meet most of it in a step. */
    best: (): Candidate[] => inOrder(kept),
    /** Pair -> the number of runs that met it. */
    pairs: (): ReadonlyMap<string, number> => pairs,
    outcomeCount: () => outcomes.size,
  };
}

function inOrder(kept: readonly Kept[]): Candidate[] {
  const left = new Map(kept.map((one) => [one, [...one.pairs, ...one.outcomes]]));
  const best: Candidate[] = [];
  while (left.size > 0) {
    const worth = ([{ steps }, unknown]: [Kept, string[]]) => unknown.length / Math.max(1, steps);
    const [next, met] = [...left].reduce((a, b) => (worth(b) > worth(a) ? b : a));
    if (met.length === 0) break;
    best.push({ tree: next.tree, seed: next.seed });
    const known = new Set(met);
    for (const [one, unknown] of left)
      left.set(
        one,
        unknown.filter((key) => !known.has(key)),
      );
  }
  return best;
}
