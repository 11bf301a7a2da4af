/** An index of a chart's states and edges, and which states are active. */
import type {
  EdgeDefinition,
  MachineDefinition,
  StateDefinition,
} from '../../../inspector/wire.ts';

type PlacedState = {
  state: StateDefinition;
  /** The state around it; null for the root. */
  parent: string | null;
};
export type ChartIndex = {
  states: ReadonlyMap<string, PlacedState>;
  edges: ReadonlyMap<string, EdgeDefinition>;
};

export function indexChart(definition: MachineDefinition): ChartIndex {
  const states = new Map<string, PlacedState>();
  const edges = new Map<string, EdgeDefinition>();
  const add = (state: StateDefinition, parent: string | null): void => {
    states.set(state.id, { state, parent });
    for (const edge of state.edges) edges.set(edge.id, edge);
    for (const inner of state.states) add(inner, state.id);
  };
  add(definition.root, null);
  return { states, edges };
}

/**
 * The active states with everything around them, from the dotted text of a state
 * (`opened.deposit.idle+withdraw.idle`). The part after a `+` is another region of the nearest parallel
 * state that has a region of this name; names that the chart does not have are left out.
 */
export function activeStates(index: ChartIndex, text: string): ReadonlySet<string> {
  const active = new Set<string>(['']);
  let last = '';
  for (const branch of text === '' ? [] : text.split('+')) {
    const names = branch.split('.');
    let here = active.size === 1 ? '' : regionAround(index, active, last, names[0] ?? '');
    for (const name of names) {
      const inner = join(here, name);
      if (!index.states.has(inner)) break;
      active.add(inner);
      here = inner;
    }
    last = here;
  }
  return active;
}

function regionAround(
  index: ChartIndex,
  active: ReadonlySet<string>,
  from: string,
  name: string,
): string {
  for (let at: string | null = from; at !== null; at = index.states.get(at)?.parent ?? null) {
    const isRegion = index.states.get(at)?.state.type === 'parallel';
    const region = join(at, name);
    if (isRegion && index.states.has(region) && !active.has(region)) return at;
  }
  return '';
}

function join(parent: string, name: string): string {
  return parent === '' ? name : `${parent}.${name}`;
}
