/** An index of a chart's states and edges, and which states are active. */
import type { EdgeDefinition, StateDefinition } from '../wire.ts';

export type ChartIndex = {
  states: ReadonlyMap<string, StateDefinition>;
  edges: ReadonlyMap<string, EdgeDefinition>;
};

export function indexChart(root: StateDefinition): ChartIndex {
  const states = new Map<string, StateDefinition>();
  const edges = new Map<string, EdgeDefinition>();
  const add = (state: StateDefinition): void => {
    states.set(state.id, state);
    for (const edge of state.edges) edges.set(edge.id, edge);
    state.states.forEach(add);
  };
  add(root);
  return { states, edges };
}

/**
 * The active states with everything around them, from the dotted text of a state
 * (`opened.deposit.idle+withdraw.idle`). The part after a `+` is another region of the nearest parallel
 * state that has a region of this name; names that the chart does not have are left out.
 */
export function activeStates(index: ChartIndex, text: string): ReadonlySet<string> {
  return statesIn(index, text).active;
}

/** The same; empty for an empty text, and null when the chart has no such state. */
export function litStates(root: StateDefinition, text: string): ReadonlySet<string> | null {
  if (text === '') return new Set();
  const { active, isWhole } = statesIn(indexChart(root), text);
  return isWhole ? active : null;
}

/** `isWhole`: each part of the text names a state that no part before it has named. */
function statesIn(index: ChartIndex, text: string) {
  const active = new Set<string>(['']);
  let last = '';
  let isWhole = true;
  for (const branch of text === '' ? [] : text.split('+')) {
    const names = branch.split('.');
    let here = active.size === 1 ? '' : regionAround(index, active, last, names[0] ?? '');
    const before = active.size;
    for (const name of names) {
      const inner = here === '' ? name : `${here}.${name}`;
      isWhole &&= index.states.has(inner);
      if (!index.states.has(inner)) break;
      active.add(inner);
      here = inner;
    }
    isWhole &&= active.size > before;
    last = here;
  }
  return { active, isWhole };
}

function regionAround(
  index: ChartIndex,
  active: ReadonlySet<string>,
  from: string,
  name: string,
): string {
  for (let at = from; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    const region = `${at}.${name}`;
    const isRegion = index.states.get(at)?.type === 'parallel' && index.states.has(region);
    if (isRegion && !active.has(region)) return at;
  }
  return '';
}
