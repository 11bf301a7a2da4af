/** What can happen next to an actor, derived from its chart alone. */

import type { ChartIndex } from '../../../inspector/charts/states.ts';
import type { EdgeDefinition } from '../../../inspector/wire.ts';
import type { Activity, GuardAttempt } from './activity.ts';

/** The edges whose guards XState asks when `event` arrives, in the order in which it asks them. */
export type Possible = { event: string; edges: readonly EdgeDefinition[] };

/**
 * For each event that an active state handles, the edges that may be taken. Inner states are asked before those
 * around them; after an edge without a guard nothing more of its region is asked. Edges without an event are left
 * out: they were asked with the last step.
 */
export function possibleNext(index: ChartIndex, active: ReadonlySet<string>): Possible[] {
  const events = new Set<string>();
  for (const id of active) {
    for (const edge of index.states.get(id)?.edges ?? []) {
      if (edge.event !== '') events.add(edge.event);
    }
  }
  return [...events]
    .map((event) => ({ event, edges: askedIn(index, active, '', event).edges }))
    .filter(({ edges }) => edges.length > 0)
    .sort((left, right) => orderOf(left.event) - orderOf(right.event));
}

/** `isCertain`: one of the edges has no guard, so that the states around are not asked. */
type Asked = { edges: EdgeDefinition[]; isCertain: boolean };

/**
 * Every region of a parallel state is asked; the states around it only when no region handles the event for
 * certain.
 */
function askedIn(index: ChartIndex, active: ReadonlySet<string>, id: string, event: string): Asked {
  const state = index.states.get(id);
  if (state === undefined) return { edges: [], isCertain: false };
  const inner = state.states
    .filter((child) => active.has(child.id))
    .map((child) => askedIn(index, active, child.id, event));
  const edges = inner.flatMap((asked) => asked.edges);
  if (inner.some(({ isCertain }) => isCertain)) return { edges, isCertain: true };
  const exact = state.edges.filter((edge) => edge.event === event);
  const wider = state.edges.filter((edge) => edge.event !== event && takes(edge.event, event));
  for (const edge of [...exact, ...wider]) {
    edges.push(edge);
    if (edge.guards.length === 0) return { edges, isCertain: true };
  }
  return { edges, isCertain: false };
}

/** Whether the descriptor (`cmd.*`, `*`) matches the event. */
function takes(descriptor: string, event: string): boolean {
  if (descriptor === '*') return true;
  return descriptor.endsWith('.*') && event.startsWith(descriptor.slice(0, -1));
}

/** Who can cause an event, in the order in which they are listed. */
const CAUSERS = [
  { prefix: 'cmd.', who: 'You, over the API' },
  { prefix: 'msg.', who: 'The partner' },
  { prefix: 'chain.', who: 'The chain' },
  { prefix: 'actor.', who: 'Another actor of this node' },
] as const;
const OTHERS = 'The node itself';

/** The possible events, grouped by who can cause them. */
export function byCauser(possible: readonly Possible[]): { who: string; possible: Possible[] }[] {
  const groups = new Map<string, Possible[]>();
  for (const one of possible) {
    const who = CAUSERS.find(({ prefix }) => one.event.startsWith(prefix))?.who ?? OTHERS;
    groups.set(who, [...(groups.get(who) ?? []), one]);
  }
  return [...groups].map(([who, of]) => ({ who, possible: of }));
}

const ORDER: readonly string[] = CAUSERS.map(({ prefix }) => prefix);

/**
 * The place of an event in the list: what a person can do first, then events from others; exact names before
 * wildcards.
 */
function orderOf(event: string): number {
  const place = ORDER.findIndex((prefix) => event.startsWith(prefix));
  return (place === -1 ? ORDER.length : place) + (event.endsWith('*') ? 0.5 : 0);
}

/**
 * The attempt at which the event's newest occurrence was blocked: edges with a guard were asked, and none was
 * taken. Null when an edge was taken, or when the event did not occur in the known steps.
 */
export function lastBlock(
  edges: readonly EdgeDefinition[],
  activity: Activity,
): GuardAttempt | null {
  const attempts = edges.flatMap((edge) => activity.lastAttempt.get(edge.id) ?? []);
  const newest = Math.max(...attempts.map(({ seq }) => seq));
  const asked = attempts.filter(({ seq }) => seq === newest);
  return asked.some(({ isTaken }) => isTaken) ? null : (asked[0] ?? null);
}
