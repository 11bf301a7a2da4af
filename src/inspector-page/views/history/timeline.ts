/** The actor's state after any of its known steps, rebuilt from the nearest step at which its context is known. */
import { applyPatch } from '../../../inspector/replay/patch.ts';
import type { ActorHistory, InspectionRecord, StepRecords } from '../../../inspector/wire.ts';

/** `isKnown` false: steps are missing, so that the context is not known. */
export type PastState = { state: string | null; context: unknown; isKnown: boolean };

/** Steps between two remembered contexts: moving the slider applies at most this many patches. */
const CHECKPOINT_STEPS = 32;
const UNKNOWN: PastState = { state: null, context: null, isKnown: false };

/**
 * Reads the state after step `at` of `steps`; -1 is the base. Results are remembered while the steps only grow at
 * their end.
 */
export function createPastReader(): (
  base: ActorHistory['base'],
  steps: readonly StepRecords[],
  at: number,
) => PastState {
  let first: StepRecords | undefined;
  let begin: ActorHistory['base'] = null;
  let checkpoints: PastState[] = [];
  /** The last result: reading the next step goes on from here. */
  let last: { at: number; past: PastState } | null = null;

  return (base, steps, at) => {
    if (base !== begin || steps[0] !== first) {
      first = steps[0];
      begin = base;
      checkpoints = [begun(base)];
      last = null;
    }
    if (checkpoints.length === 0) checkpoints = [begun(base)];
    const end = Math.min(at, steps.length - 1);
    const nearest = Math.min(Math.floor((end + 1) / CHECKPOINT_STEPS), checkpoints.length - 1);
    let here = nearest * CHECKPOINT_STEPS - 1;
    let past = checkpoints[nearest] ?? UNKNOWN;
    if (last !== null && last.at <= end && last.at > here) {
      here = last.at;
      past = last.past;
    }
    while (here < end) {
      here += 1;
      past = afterStep(past, steps[here] ?? []);
      if ((here + 1) % CHECKPOINT_STEPS === 0) checkpoints[(here + 1) / CHECKPOINT_STEPS] = past;
    }
    last = { at: here, past };
    return past;
  };
}

function begun(base: ActorHistory['base']): PastState {
  return base === null ? UNKNOWN : { state: base.state, context: base.context, isKnown: true };
}

function afterStep(past: PastState, step: StepRecords): PastState {
  let here = past;
  for (const record of step) here = afterRecord(here, record);
  return here;
}

function afterRecord(past: PastState, record: InspectionRecord): PastState {
  switch (record.kind) {
    case 'spawn':
      return { state: record.state, context: record.context, isKnown: true };
    case 'transition':
      if (!past.isKnown) return { ...UNKNOWN, state: record.to };
      return { ...past, state: record.to, context: applyPatch(past.context, record.patch) };
    case 'gap':
      return UNKNOWN;
    default:
      return past;
  }
}
