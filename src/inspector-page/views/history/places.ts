/** Finds steps by their number. */
import type { StepRecords } from '../../../inspector/wire.ts';

/** The number of the step at an index; null when there is none. */
export function seqAt(steps: readonly StepRecords[], place: number): number | null {
  return steps[place]?.[0]?.seq ?? null;
}

/** The index of the newest step whose number is at most `seq`; -1 when all are newer. */
export function stepIndex(steps: readonly StepRecords[], seq: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((seqAt(steps, middle) ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
