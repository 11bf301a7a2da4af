/**
 * Decides which steps of the actors are written to the journal, with what led to each.
 *
 * The guarantee: from the newest spawn or keyframe of a live actor (`Journal.baseOf`), its steps after it
 * (`Journal.between`), given to its machine one after the other, lead to exactly the state in its row. It holds because
 * each step that changed an actor is written in the same commit as the state: a process that is killed leaves both or
 * neither. A change that is not written as a step would break it. There are two such changes, and a keyframe follows
 * each:
 *
 * - a start of the program: charts and stored shapes may have changed, so the first step of each actor in a process has
 *   a keyframe before it, with the state as it was read;
 * - a channel that is frozen while no node runs (freeze.ts).
 *
 * For each step in the newer half of the journal, the spawn or keyframe from which it is replayed is kept.
 */

import type { Effect } from '../../../../machines/effects.ts';
import { stateText } from '../../../../machines/tags.ts';
import { encode } from '../../../store/base/codec.ts';
import type { JournalRow } from '../../../store/base/journal-block.ts';
import { KINDS, rowOf, type StoredState } from '../actors/kinds.ts';

export type JournalWriter = ReturnType<typeof createJournalWriter>;

/** The actor that sent the event, and the place of its step among the open rows (`JournalRow.causedBy`). */
export type Cause = { cause: string; causedBy: number | null };
export const OUTSIDE: Cause = { cause: 'outside', causedBy: null };

/** What an event did to an actor. */
export type JournalStep = {
  actor: string;
  event: { type: string };
  block: bigint;
  before: StoredState;
  after: StoredState;
  changed: boolean;
  /** The types of the actor's own effects, in order. */
  effects: readonly Effect['type'][];
};

/** A replay from a spawn or keyframe takes at most this many steps, about a millisecond. */
const KEYFRAME_STEPS = 200;
/**
 * Steps that changed nothing are written for people who ask why nothing happened, but a partner can cause any number of
 * them. Between two blocks at most this many of one actor, and of all actors, are written: else they would push the
 * history of real changes out of the journal.
 */
const IDLE_PER_ACTOR = 20;
const IDLE_PER_BLOCK = 100;
/** Most characters of the event of such a step; a message of a stranger may have 64 KiB. */
const MOST_IDLE_TEXT = 4_096;

type Options = {
  /** How many rows the journal keeps. */
  limit: number;
  now(): number;
};

/** Rows wait here for the commit that takes them. */
export function createJournalWriter({ limit, now }: Options) {
  let rows: JournalRow[] = [];
  /** How many rows earlier commits took; together with the open rows the count runs parallel to `seq`. */
  let taken = 0;
  /** The spawn or keyframe of each live actor that this process has written. */
  const bases = new Map<string, { place: number; steps: number }>();
  const idle = createIdleLimit();

  type Told = Pick<JournalRow, 'kind' | 'actor' | 'event' | 'block'> &
    Cause & { after: StoredState };
  function push({ kind, actor, cause, causedBy, event, after, block }: Told): number {
    const { version } = KINDS[after.kind];
    const state = stateText(after.value);
    rows.push({ kind, actor, cause, causedBy, event, state, version, block, time: now() });
    return rows.length - 1;
  }

  /** Writes a spawn or keyframe, from which steps can be replayed, and counts the steps from there. */
  function pushBase(base: Told): number {
    bases.set(base.actor, { place: taken + rows.length, steps: 0 });
    return push(base);
  }

  /** Counts one more step from the actor's spawn or keyframe; false when there is none, or it is too far back. */
  function countStep(actor: string): boolean {
    const base = bases.get(actor);
    if (base === undefined || taken + rows.length - base.place >= limit / 2) return false;
    base.steps += 1;
    return base.steps <= KEYFRAME_STEPS;
  }

  return {
    /** Notes that the actor was spawned with this input. Answers the row's place. */
    spawn(actor: string, input: unknown, after: StoredState, block: bigint, told: Cause): number {
      return pushBase({ kind: 'spawn', actor, event: encode(input), after, block, ...told });
    },
    /** Notes one step. Answers the row's place; null when the step is not written. */
    step(step: JournalStep, told: Cause): number | null {
      const { actor, event, block, before, after } = step;
      const isNothing = isIdle(step);
      if (isNothing && !(isTold(event.type, step, told) && idle.take(actor, block))) return null;
      const text = encode(event);
      if (isNothing && text.length > MOST_IDLE_TEXT) return null;
      if (!countStep(actor)) {
        const { state } = rowOf(actor, before);
        pushBase({ kind: 'keyframe', actor, event: state, after: before, block, ...OUTSIDE });
        countStep(actor);
      }
      return push({ kind: 'event', actor, event: text, after, block, ...told });
    },
    /** Notes that the actor has reached its end. */
    stop(actor: string, after: StoredState, block: bigint, told: Cause): void {
      push({ kind: 'stop', actor, event: '', after, block, ...told });
      bases.delete(actor);
    },
    /** How many rows wait. */
    size: (): number => rows.length,
    /** Hands the waiting rows over to a commit. */
    take(): JournalRow[] {
      const batch = rows;
      rows = [];
      taken += batch.length;
      return batch;
    },
  };
}

/** Effects that need no journal row: answers, and events for another actor, whose own step is written. */
const FLEETING = new Set<Effect['type']>([
  'notify',
  'resend',
  'done.message',
  'done.queue',
  'report.route',
  'report.refused',
  'send.processed',
  'send.consent',
  'send.sync',
  'reply.ok',
  'reply.error',
]);

function isIdle({ changed, effects }: Pick<JournalStep, 'changed' | 'effects'>): boolean {
  return !changed && effects.every((type) => FLEETING.has(type));
}

/**
 * Whether a step without effect is worth writing: people may ask why a command or message had no effect, but not why a
 * block had none.
 */
function isTold(
  type: string,
  { effects }: Pick<JournalStep, 'effects'>,
  { cause }: Cause,
): boolean {
  if (effects.length > 0 || type.startsWith('cmd.') || type.startsWith('msg.')) return true;
  return type.startsWith('actor.') && cause !== OUTSIDE.cause;
}

function createIdleLimit() {
  const counts = new Map<string, number>();
  let all = 0;
  let counted: bigint | null = null;
  return {
    /** Whether one more step of this actor that changed nothing may be written. */
    take(actor: string, block: bigint): boolean {
      if (counted !== block) {
        counts.clear();
        all = 0;
        counted = block;
      }
      const count = counts.get(actor) ?? 0;
      if (count >= IDLE_PER_ACTOR || all >= IDLE_PER_BLOCK) return false;
      counts.set(actor, count + 1);
      all += 1;
      return true;
    },
  };
}
