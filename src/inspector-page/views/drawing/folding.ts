/** Folds states in which nothing happens, so that a chart shows little more than where its actor is. */
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

/** The chart with these states emptied; edges into their inner states lead to the folded states. */
export function folded(definition: MachineDefinition, ids: readonly string[]): MachineDefinition {
  if (ids.length === 0) return definition;
  const version = `${definition.version} without ${ids.join(' ')}`;
  return { ...definition, version, root: foldedState(definition.root, ids) };
}

function foldedState(state: StateDefinition, ids: readonly string[]): StateDefinition {
  const edges = state.edges.map((edge) => ledTo(edge, ids));
  if (!ids.includes(state.id))
    return { ...state, edges, states: state.states.map((inner) => foldedState(inner, ids)) };
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
