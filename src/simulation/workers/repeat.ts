/** Compares a run with another one of the same seed, which must give the same result. */
import { INVARIANT_NAMES } from '../invariants/names.ts';
import type { RunResult } from '../report/results/result.ts';

/** Among many seeds, those that this number divides are run twice. */
const EVERY = 50;
const INVARIANT = 33;

/**
 * Whether a run with this seed is made twice when it is one of many. This depends on the seed, so that it can be
 * repeated.
 */
export const isMadeTwice = (seed: number): boolean => seed % EVERY === 0;

/** The first of two runs; with a violation when the second one did something else. */
export function heldAgainst(first: RunResult, second: RunResult): RunResult {
  const isOver = first.verdict !== 'stopped' && second.verdict !== 'stopped';
  if (!isOver || first.trace === second.trace || first.violation !== null) return first;
  const invariant = `${INVARIANT} ${INVARIANT_NAMES[INVARIANT] ?? ''}`;
  const text = `seed ${first.seed} does something else each time: ${first.trace}, ${second.trace}`;
  const { steps: step, blocks: block } = first;
  const violation = { invariant, step, block, node: null, lost: null, text, lastEvents: [] };
  return { ...first, verdict: 'failed', violation };
}
