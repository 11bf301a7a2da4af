/**
 * What the known steps of an actor did in its chart: how often states were entered and edges taken, when last, and
 * which guards blocked.
 */

import { activeStates, type ChartIndex } from '../../../inspector/charts/states.ts';
import type { ActorHistory, InspectionRecord, StepRecords } from '../../../inspector/wire.ts';

export type GuardRecord = Extract<InspectionRecord, { kind: 'guard' }>;
/** The results of an edge's guards in one step. */
export type GuardAttempt = {
  seq: number;
  block: bigint;
  guards: readonly GuardRecord[];
  isTaken: boolean;
};
export type Activity = {
  /** The state after the last step as dotted text; null while none is known. */
  state: string | null;
  /** How often each state was entered; a state that was active at the beginning counts once. */
  entered: Map<string, number>;
  /** How often each edge was taken, and at which block last. */
  taken: Map<string, { count: number; block: bigint }>;
  /** For each edge with a guard: the last time that its guards were asked, and the last time that it was not taken. */
  lastAttempt: Map<string, GuardAttempt>;
  lastBlocked: Map<string, GuardAttempt>;
  /** The last step that took an edge. */
  move: { seq: number; edges: readonly string[] } | null;
};

/**
 * Reads the activity of a growing list of steps. Only steps that were added since the last call are read, unless
 * the list begins elsewhere.
 */
export function createActivityReader(
  index: ChartIndex,
): (base: ActorHistory['base'], steps: readonly StepRecords[]) => Activity {
  const activeOf = rememberActive(index);
  let seen: readonly StepRecords[] = [];
  let seenBase: ActorHistory['base'] = null;
  let growing = nothing();

  return (base, steps) => {
    const isMore =
      seen.length > 0 &&
      base === seenBase &&
      steps.length >= seen.length &&
      steps[0] === seen[0] &&
      steps[seen.length - 1] === seen.at(-1);
    if (!isMore) {
      growing = nothing();
      if (base !== null) enter(growing, activeOf, base.state);
    }
    for (let at = isMore ? seen.length : 0; at < steps.length; at += 1) {
      note(growing, activeOf, steps[at] ?? []);
    }
    seen = steps;
    seenBase = base;
    return { ...growing };
  };
}

function nothing(): Activity {
  return {
    state: null,
    entered: new Map(),
    taken: new Map(),
    lastAttempt: new Map(),
    lastBlocked: new Map(),
    move: null,
  };
}

type ActiveOf = (text: string) => ReadonlySet<string>;

function rememberActive(index: ChartIndex): ActiveOf {
  const known = new Map<string, ReadonlySet<string>>();
  return (text) => {
    const active = known.get(text) ?? activeStates(index, text);
    known.set(text, active);
    return active;
  };
}

function enter(growing: Activity, activeOf: ActiveOf, state: string): void {
  const before = growing.state === null ? null : activeOf(growing.state);
  for (const id of activeOf(state)) {
    if (before?.has(id)) continue;
    growing.entered.set(id, (growing.entered.get(id) ?? 0) + 1);
  }
  growing.state = state;
}

function note(growing: Activity, activeOf: ActiveOf, step: StepRecords): void {
  const guards = new Map<string, GuardRecord[]>();
  let taken: readonly string[] = [];
  for (const record of step) {
    switch (record.kind) {
      case 'spawn':
        // A state restored after a restart is no new visit.
        enter(growing, activeOf, record.state);
        break;
      case 'guard':
        if (record.transition !== null) {
          guards.set(record.transition, [...(guards.get(record.transition) ?? []), record]);
        }
        break;
      case 'transition':
        taken = record.edges;
        noteTransition(growing, activeOf, record);
        break;
    }
  }
  for (const [edge, records] of guards) {
    const last = records.at(-1);
    if (last === undefined) continue;
    const { seq, block } = last;
    const attempt = { seq, block, guards: records, isTaken: taken.includes(edge) };
    growing.lastAttempt.set(edge, attempt);
    if (!attempt.isTaken) growing.lastBlocked.set(edge, attempt);
  }
}

function noteTransition(
  growing: Activity,
  activeOf: ActiveOf,
  record: Extract<InspectionRecord, { kind: 'transition' }>,
): void {
  const { seq, block, edges, from, to } = record;
  // After a gap the state before the step may differ from the last known one.
  if (growing.state !== from) enter(growing, activeOf, from);
  enter(growing, activeOf, to);
  for (const edge of edges) {
    growing.taken.set(edge, { block, count: (growing.taken.get(edge)?.count ?? 0) + 1 });
  }
  if (edges.length > 0 || from !== to) growing.move = { seq, edges };
}
