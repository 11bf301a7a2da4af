/** Why a step happened: the chain of steps that caused one another, back to an event from outside. */
import type { StepRecords } from '../../../inspector/wire.ts';
import { isMove, type StepLine, stepLine } from './steps.ts';

export type CauseChain = {
  /** The step itself first, then what caused it, and so on. */
  lines: readonly StepLine[];
  /** Why the chain ends: at an event from outside, at a step that is not known, or because it is too long. */
  end: 'outside' | 'unknown' | 'long';
};

const LONGEST = 24;

/** `find` returns the step `seq` of an actor, or null when it is no longer known. */
export async function traceCauses(
  step: StepRecords,
  find: (actor: string, seq: number) => Promise<StepRecords | null>,
): Promise<CauseChain> {
  const lines: StepLine[] = [];
  let here: StepRecords | null = step;
  while (lines.length < LONGEST) {
    const line: StepLine | null = here === null ? null : stepLine(here);
    if (line === null || line.gap !== null) return { lines, end: 'unknown' };
    lines.push(line);
    if (line.cause.from === 'outside') return { lines, end: 'outside' };
    if (line.cause.seq === null) return { lines, end: 'unknown' };
    here = await find(line.cause.actor, line.cause.seq);
  }
  return { lines, end: 'long' };
}

/**
 * The step that entered the state in which the actor is after step `at`: the newest step up to there that changed
 * the state. Null when it is older than the known steps.
 */
export function entryOf(steps: readonly StepRecords[], at: number): StepRecords | null {
  for (let place = Math.min(at, steps.length - 1); place >= 0; place -= 1) {
    const step = steps[place] ?? [];
    const line = stepLine(step);
    if (line === null || line.gap !== null) return null;
    if (isMove(line)) return step;
  }
  return null;
}
