/**
 * Replays one actor of the journal, step by step, and checks that each step leads to the state that the journal
 * recorded.
 */

import { stateText } from '../../../machines/tags.ts';
import type { JournalStep } from '../../node/api/inspection.ts';
import { KINDS, kindOf, type StoredState, stateIn } from '../../node/runtime/actors/kinds.ts';
import { decode } from '../../store/base/codec.ts';
import { isSame } from './patch.ts';
import type { Life, ReplayStage, TypedObject } from './replay-machine.ts';

/**
 * An actor after the step `seq`, with its state as text. When `life` is null its context is not known: `old` when
 * the journal does not reach back to its beginning, `other` when it went another way than these charts do.
 */
export type KnownActor = { seq: number; state: string } & (
  | { life: Life }
  | { life: null; reason: 'old' | 'other' }
);

/** The actor after the step, and what the step did with the actor that was known before. */
export type FollowedStep = { known: KnownActor; told: unknown } & (
  | { outcome: 'spawned' | 'same' | 'restored'; after: StoredState }
  | { outcome: 'moved'; before: StoredState; after: StoredState }
  /** The keyframe differs from the replayed actor; the replay goes on from the keyframe. */
  | { outcome: 'corrected'; after: StoredState }
  | { outcome: 'stopped' | 'lost' }
);

/** Never throws. A step that the charts refuse, or that leads to another state than recorded, is `lost`. */
export function follow(
  stage: ReplayStage,
  known: KnownActor | null,
  step: JournalStep,
): FollowedStep {
  let told: unknown = null;
  try {
    if (step.kind === 'stop') return stopped(step);
    told = decode(step.event);
    if (step.kind === 'keyframe') return compared(stage, known, step);
    if (step.version !== KINDS[kindOf(step.actor)].version) return lost(step, told, 'other');
    if (step.kind === 'spawn') return spawned(stage, step, told);
    if (known?.life === null) return lost(step, told, known.reason);
    return known === null ? lost(step, told, 'old') : moved(known.life, step, told);
  } catch {
    return lost(step, told, 'other');
  }
}

function lost(step: JournalStep, told: unknown, reason: 'old' | 'other'): FollowedStep {
  const { seq, state } = step;
  return { outcome: 'lost', told, known: { seq, state, life: null, reason } };
}

function stopped({ seq, state }: JournalStep): FollowedStep {
  return { outcome: 'stopped', told: null, known: { seq, state, life: null, reason: 'old' } };
}

function spawned(stage: ReplayStage, step: JournalStep, input: unknown): FollowedStep {
  const { seq, actor, state } = step;
  const life = stage.begin(kindOf(actor), actor, { input: fieldsOf(input) });
  const after = life.state();
  if (stateText(after.value) !== state) return lost(step, input, 'other');
  return { outcome: 'spawned', told: input, known: { seq, state, life }, after };
}

function moved(life: Life, step: JournalStep, told: unknown): FollowedStep {
  const { seq, state, block } = step;
  const before = life.state();
  life.send({ ...eventOf(told), nowBlock: block });
  const after = life.state();
  if (stateText(after.value) !== state) return lost(step, told, 'other');
  return { outcome: 'moved', told, known: { seq, state, life }, before, after };
}

function compared(stage: ReplayStage, known: KnownActor | null, step: JournalStep): FollowedStep {
  const { seq, actor, version, event } = step;
  const kind = kindOf(actor);
  const after = stateIn({ id: actor, kind, version, state: event });
  const state = stateText(after.value);
  if (known !== null && known.life !== null && isSame(known.life.state(), after))
    return { outcome: 'same', told: null, known: { seq, state, life: known.life }, after };
  const life = stage.begin(kind, actor, { state: after });
  const isCorrected = known !== null && known.life !== null;
  const outcome = isCorrected ? 'corrected' : 'restored';
  return { outcome, told: null, known: { seq, state, life }, after };
}

export function eventOf(told: unknown): TypedObject {
  const fields = fieldsOf(told);
  if (typeof fields.type !== 'string') throw new TypeError('replay: an event has no type');
  return { ...fields, type: fields.type };
}

function fieldsOf(told: unknown): Record<string, unknown> {
  if (typeof told !== 'object' || told === null) throw new TypeError('replay: no object');
  return { ...told };
}
