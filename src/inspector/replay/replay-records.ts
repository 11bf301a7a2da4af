/** Turns a replayed step into the records of the stream, with all secrets replaced. */

import { stateText } from '../../../machines/tags.ts';
import type { JournalStep } from '../../node/api/inspection.ts';
import { kindOf, type StoredState } from '../../node/runtime/actors/kinds.ts';
import { balancesOf } from '../base/money.ts';
import { machineDefinition } from '../charts/definitions.ts';
import { deadlineOf } from '../deadlines/deadlines.ts';
import type { GuardRead, InspectionRecord, Patch, StepCause, StepRecords } from '../wire.ts';
import { seenOf } from './contexts.ts';
import { difference, segmentsOf } from './patch.ts';
import type { Redactor } from './redact.ts';
import type { FollowedStep, KnownActor } from './replay-actor.ts';
import { eventOf } from './replay-actor.ts';
import type { HeardStep } from './replay-machine.ts';

type Unplaced<R> = R extends InspectionRecord
  ? Omit<R, 'seq' | 'part' | 'actor' | 'cause' | 'block' | 'time'>
  : never;
type Content = Unplaced<InspectionRecord>;

/** The records of one step; none for a keyframe that equals the replayed actor. `before`: the actor before it. */
export function recordsOf(
  redactor: Redactor,
  step: JournalStep,
  before: KnownActor | null,
  followed: FollowedStep,
  heard: HeardStep,
): StepRecords {
  switch (followed.outcome) {
    case 'same':
      return [];
    case 'stopped':
      return placed(step, [{ kind: 'stop', state: step.state }]);
    case 'restored':
      return placed(step, [spawned(redactor, step, followed.after, null)]);
    case 'corrected':
      return placed(step, [gap(step, 'other'), spawned(redactor, step, followed.after, null)]);
    case 'spawned':
      return placed(step, [
        spawned(redactor, step, followed.after, followed.told),
        ...guardsOf(redactor, heard),
        ...firstMoves(step, followed.after, heard),
        ...effectsOf(redactor, heard),
      ]);
    case 'moved':
      return placed(step, [
        told(redactor, followed.told),
        ...guardsOf(redactor, heard),
        transition(redactor, followed, heard),
        ...effectsOf(redactor, heard),
      ]);
    default:
      return placed(step, lost(redactor, step, before, followed));
  }
}

/** The actor's present state. Without `input` the actor was not spawned by this step, but restored from a keyframe. */
function spawned(
  redactor: Redactor,
  { actor }: Pick<JournalStep, 'actor'>,
  { value, context }: StoredState,
  input: unknown,
): Extract<Content, { kind: 'spawn' }> {
  const machine = kindOf(actor);
  return {
    kind: 'spawn',
    machine,
    version: machineDefinition(machine).version,
    input: redactor.redact(input),
    state: stateText(value),
    context: redactor.redact(context),
    isRestored: input === null,
  };
}

/** The event and the state after it are known; the reasons and the changes of the context are not. */
function lost(
  redactor: Redactor,
  step: JournalStep,
  before: KnownActor | null,
  followed: FollowedStep,
): Content[] {
  const from = before?.state ?? '';
  const move = { from, to: step.state, edges: [], patch: [], deadlineBlock: null, balances: null };
  const { known } = followed;
  const reason = known.life === null ? known.reason : 'other';
  return [
    ...(step.kind === 'event' && isTyped(followed.told) ? [told(redactor, followed.told)] : []),
    { kind: 'transition', ...move },
    gap(step, reason),
  ];
}

function told(redactor: Redactor, event: unknown): Content {
  const { type, ...fields } = eventOf(event);
  const shown = redactor.redact(fields);
  return { kind: 'event', event: { type, ...(isObject(shown) ? shown : {}) } };
}

function transition(
  redactor: Redactor,
  { before, after }: { before: StoredState; after: StoredState },
  { edges }: HeardStep,
): Content {
  const to = stateText(after.value);
  return {
    kind: 'transition',
    from: stateText(before.value),
    to,
    edges,
    patch: shownPatch(redactor, difference(before.context, after.context)),
    deadlineBlock: deadlineOf(seenOf(after)),
    balances: balancesIn(after),
  };
}

/** The eventless transitions that an actor took when it was spawned. */
function firstMoves({ state }: JournalStep, after: StoredState, { edges }: HeardStep): Content[] {
  if (edges.length === 0) return [];
  const deadlineBlock = deadlineOf(seenOf(after));
  const balances = balancesIn(after);
  return [{ kind: 'transition', from: '', to: state, edges, patch: [], deadlineBlock, balances }];
}

const balancesIn = ({ kind, context }: StoredState) =>
  kind === 'channel' ? balancesOf(context) : null;

function guardsOf(redactor: Redactor, { guards }: HeardStep): Content[] {
  return guards.map(({ guard, params, transition, isOpen, reads }) => ({
    kind: 'guard',
    guard,
    params: redactor.redact(params),
    transition,
    isOpen,
    reads: reads.map((read) => shownRead(redactor, read)),
  }));
}

function effectsOf(redactor: Redactor, { effects }: HeardStep): Content[] {
  return effects.map(({ type, ...fields }) => {
    const shown = redactor.redact(fields);
    return { kind: 'effect', effect: { type, ...(isObject(shown) ? shown : {}) } };
  });
}

function shownPatch(redactor: Redactor, patch: Patch): Patch {
  return patch.map((operation) => {
    if (operation.op === 'remove') return operation;
    const value = redactor.redact(operation.value, fieldIn(segmentsOf(operation.path)));
    return { ...operation, value };
  });
}

function shownRead(redactor: Redactor, read: GuardRead): GuardRead {
  const { path, value } = read;
  if (typeof value !== 'string' && typeof value !== 'object') return read;
  return { path, value: redactor.redact(value, fieldIn(path.split('.'))) };
}

/** The name of the field that a path ends in; for an item of a list, the list's field. */
function fieldIn(segments: readonly string[]): string {
  return segments.findLast((segment) => !/^\d+$/.test(segment)) ?? '';
}

function gap({ seq }: JournalStep, reason: 'old' | 'other'): Content {
  return { kind: 'gap', first: seq, reason };
}

function placed(step: JournalStep, contents: readonly Content[]): StepRecords {
  const { seq, actor, block, time } = step;
  const cause = causeOf(step);
  return contents.map((content, part) => ({ ...content, seq, part, actor, cause, block, time }));
}

function causeOf({ cause, causeSeq }: JournalStep): StepCause {
  return cause === 'outside' ? { from: cause } : { from: 'actor', actor: cause, seq: causeSeq };
}

function isTyped(value: unknown): boolean {
  return isObject(value) && 'type' in value && typeof value.type === 'string';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
