/** States in which nothing happens are closed up: a chart is then little more than where its actor is. */
import type { EdgeDefinition, MachineDefinition, StateDefinition } from '../../inspector/wire.ts';

/**
 * The outermost states with states inside in which the actor is not. `moved`: edges of its last transition, which
 * is to be seen as well.
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

/** Whether an edge inside of the state, not one of its own, is among them. */
function hasMoved({ states }: StateDefinition, moved: ReadonlySet<string>): boolean {
  return states.some(
    (inner) => inner.edges.some(({ id }) => moved.has(id)) || hasMoved(inner, moved),
  );
}

/** The chart in which these states have nothing inside, and whatever led into them leads to them. */
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
  // A state without a way out would look like an end.
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

/** What led from a folded state to one inside of it stays where it is. */
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
