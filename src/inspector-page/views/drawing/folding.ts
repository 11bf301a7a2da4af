/** Folds states and events in which nothing happens, so that a chart shows little more than where its actor is. */
import { isInner } from '../../../inspector/charts/chart-text.ts';
import type {
  EdgeDefinition,
  MachineDefinition,
  StateDefinition,
} from '../../../inspector/wire.ts';

/**
 * The ids of the outermost compound states that are not active. `moved`: edges of the last transition; states with
 * one of them inside stay open.
 */
export function foldableStates(
  state: StateDefinition,
  active: ReadonlySet<string>,
  moved: ReadonlySet<string>,
): string[] {
  if (state.states.length === 0) return [];
  if (state.id !== '' && !active.has(state.id) && !hasMoved(state, moved)) return [state.id];
  return state.states.flatMap((inner) => foldableStates(inner, active, moved));
}

/** Whether one of the edges is inside the state; the state's own edges do not count. */
function hasMoved({ states }: StateDefinition, moved: ReadonlySet<string>): boolean {
  return states.some(
    (inner) => inner.edges.some(({ id }) => moved.has(id)) || hasMoved(inner, moved),
  );
}

/** So many events that never came are shown. */
const MOST_QUIET = 3;

/**
 * The ids of the edges that a state with inner states takes wherever it is, of events that never came, when there are
 * many of those: they would stand above the states and push them out of sight. `taken`: by the ids of edges.
 */
export function foldableEdges(
  state: StateDefinition,
  taken: { has(edge: string): boolean },
): string[] {
  if (state.states.length === 0) return [];
  const within = state.states.flatMap((inner) => foldableEdges(inner, taken));
  const lines = state.edges.filter(isInner);
  const came = new Set(lines.filter(({ id }) => taken.has(id)).map(({ event }) => event));
  const quiet = lines.filter(({ event }) => !came.has(event));
  return eventsOf(quiet) > MOST_QUIET ? [...quiet.map(({ id }) => id), ...within] : within;
}

const eventsOf = (edges: readonly EdgeDefinition[]) =>
  new Set(edges.map(({ event }) => event)).size;

/** What to fold: states, and edges that stay in their state; by ids. */
export type Folds = { states: readonly string[]; edges: readonly string[] };
export const NO_FOLDS: Folds = { states: [], edges: [] };
/** `moved`: edges of the last transition; `taken`: how often edges were taken, by id. */
type Happened = {
  active: ReadonlySet<string>;
  moved: ReadonlySet<string>;
  activity: { taken: { has(edge: string): boolean } };
};

/** All in which nothing happens. */
export function foldsOf(root: StateDefinition, { active, moved, activity }: Happened): Folds {
  return {
    states: foldableStates(root, active, moved),
    edges: foldableEdges(root, activity.taken),
  };
}

/**
 * The chart with these states emptied, while edges into their inner states lead to the folded states; and without
 * these edges, whose events are counted beside the name of their state.
 */
export function folded(definition: MachineDefinition, folds: Folds): MachineDefinition {
  const all = [...folds.states, ...folds.edges];
  if (all.length === 0) return definition;
  const { root } = definition;
  const named = root.name === '' ? { ...root, name: definition.machine } : root;
  const version = `${definition.version} without ${all.join(' ')}`;
  return { ...definition, version, root: foldedState(named, folds) };
}

function foldedState(state: StateDefinition, folds: Folds): StateDefinition {
  const ids = folds.states;
  const hidden = state.edges.filter(({ id }) => folds.edges.includes(id));
  const edges = state.edges
    .filter((edge) => !hidden.includes(edge))
    .map((edge) => ledTo(edge, ids));
  if (!ids.includes(state.id)) {
    const states = state.states.map((inner) => foldedState(inner, folds));
    const count = eventsOf(hidden);
    const named = count === 0 ? state.name : `${state.name} · always: ${count} more events`;
    return { ...state, name: named, edges, states };
  }
  const name = `${state.name} +${countOf(state)}`;
  // The edges out of inner states become its own: a state without any would look like a final one.
  const leaving = edgesIn(state)
    .map((edge) => ledTo(edge, ids))
    .filter(({ targets }) => targets.some((target) => target !== state.id))
    .map((edge) => ({ ...edge, source: state.id }));
  const all = [...edges, ...leaving];
  return { ...state, name, type: 'atomic', initial: null, edges: all, states: [] };
}

function edgesIn({ states }: StateDefinition): EdgeDefinition[] {
  return states.flatMap((inner) => [...inner.edges, ...edgesIn(inner)]);
}

/**
 * Leads the edge to folded states instead of their inner ones. An edge from a folded state to one inside it stays
 * within the state.
 */
function ledTo(edge: EdgeDefinition, ids: readonly string[]): EdgeDefinition {
  const targets = edge.targets.map((target) => outerOf(target, ids));
  const isInside = targets.every(
    (target, at) => target === edge.source && target !== edge.targets[at],
  );
  return { ...edge, targets: isInside ? [] : [...new Set(targets)] };
}

const outerOf = (id: string, ids: readonly string[]) =>
  ids.find((outer) => id.startsWith(`${outer}.`)) ?? id;

function countOf({ states }: StateDefinition): number {
  return states.reduce((sum, inner) => sum + 1 + countOf(inner), 0);
}
