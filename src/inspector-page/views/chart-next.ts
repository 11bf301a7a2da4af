/** What can happen next to an actor, by its chart alone. */
import type { EdgeDefinition } from '../../inspector/wire.ts';
import type { Activity, Attempt } from './chart-activity.ts';
import type { ChartIndex } from './chart-states.ts';

/** The edges that are asked when `event` comes, in the order in which they are asked. */
export type Possible = { event: string; edges: readonly EdgeDefinition[] };

/**
 * For each event that an active state takes, the edges that it may take: inner states are asked before
 * those around them, an edge without a guard ends the asking of its region. Edges without an event are
 * not among them: they were asked with the last step.
 */
export function possibleNext(index: ChartIndex, active: ReadonlySet<string>): Possible[] {
  const events = new Set<string>();
  for (const id of active) {
    for (const edge of index.states.get(id)?.state.edges ?? []) {
      if (edge.event !== '') events.add(edge.event);
    }
  }
  return [...events]
    .map((event) => ({ event, edges: askedIn(index, active, '', event).edges }))
    .filter(({ edges }) => edges.length > 0)
    .sort((left, right) => orderOf(left.event) - orderOf(right.event));
}

/** `isCertain`: one of them has no guard, so that nothing around the state is asked. */
type Asked = { edges: EdgeDefinition[]; isCertain: boolean };

/** Every region of a parallel state is asked; what is around it only when none of them took the event. */
function askedIn(index: ChartIndex, active: ReadonlySet<string>, id: string, event: string): Asked {
  const state = index.states.get(id)?.state;
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

/** Whether the descriptor (`cmd.*`, `*`) takes the event. */
function takes(descriptor: string, event: string): boolean {
  if (descriptor === '*') return true;
  return descriptor.endsWith('.*') && event.startsWith(descriptor.slice(0, -1));
}

/** Who can make an event come, in the order in which they are listed. */
const CAUSERS = [
  { prefix: 'cmd.', who: 'You, over the API' },
  { prefix: 'msg.', who: 'The partner' },
  { prefix: 'chain.', who: 'The chain' },
  { prefix: 'actor.', who: 'Another actor of this node' },
] as const;
const OTHERS = 'The node itself';

/** What can happen next, by who can make it happen. */
export function byCauser(possible: readonly Possible[]): { who: string; possible: Possible[] }[] {
  const groups = new Map<string, Possible[]>();
  for (const one of possible) {
    const who = CAUSERS.find(({ prefix }) => one.event.startsWith(prefix))?.who ?? OTHERS;
    groups.set(who, [...(groups.get(who) ?? []), one]);
  }
  return [...groups].map(([who, of]) => ({ who, possible: of }));
}

const ORDER: readonly string[] = CAUSERS.map(({ prefix }) => prefix);

/** What a person can do first, then what others say; of each what has a name before all the rest. */
function orderOf(event: string): number {
  const place = ORDER.findIndex((prefix) => event.startsWith(prefix));
  return (place === -1 ? ORDER.length : place) + (event.endsWith('*') ? 0.5 : 0);
}

/**
 * The newest time that an event was blocked: edges with a guard were asked and none of them was taken. Null
 * when its newest time was not, and when it never came in the known steps.
 */
export function lastBlock(edges: readonly EdgeDefinition[], activity: Activity): Attempt | null {
  const attempts = edges.flatMap((edge) => activity.lastAttempt.get(edge.id) ?? []);
  const newest = Math.max(...attempts.map(({ seq }) => seq));
  const asked = attempts.filter(({ seq }) => seq === newest);
  return asked.some(({ isTaken }) => isTaken) ? null : (asked[0] ?? null);
}
