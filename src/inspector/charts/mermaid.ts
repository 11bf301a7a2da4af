/** A chart as text of Mermaid's `stateDiagram-v2`, for documents that draw such texts. */

import type { EdgeDefinition, MachineDefinition, StateDefinition } from '../wire.ts';
import { innerText, isInner, labelText, type Measure } from './chart-text.ts';

/** Every text has the width 0, so that no text is broken into rows. */
const nowhere: Measure = () => 0;

/**
 * The chart as Mermaid text. The text inside a state is its description; Mermaid allows none for a state with inner
 * states, so it gets an extra state that has the text. Edges end at the border of the box that holds both ends:
 * Mermaid draws none from the inside of one box into another. `lit`: the ids of the states to mark; only the innermost
 * are marked, because Mermaid gives boxes no style.
 */
export function chartMermaid(
  { machine, version, description, root }: MachineDefinition,
  lit: ReadonlySet<string> = new Set(),
): string {
  const ways = edgesBelow(root).filter((edge) => !isInner(edge));
  return [
    'stateDiagram-v2',
    `%% ${machine}, version ${version}`,
    `%% ${description}`,
    ...inside(root, ways).map((line) => `  ${line}`),
    ...marks(leavesBelow(root).filter(({ id }) => lit.has(id))),
    '',
  ].join('\n');
}

/** The identifier of a state: its path with `_` for the dots. */
function nameOf(id: string): string {
  return id === '' ? 'chart' : id.replaceAll('.', '_');
}

function inside(state: StateDefinition, ways: readonly EdgeDefinition[]): string[] {
  const texts = innerText(state, nowhere, Number.POSITIVE_INFINITY).lines.map(textOf);
  const handlers = texts.map((text) => `${nameOf(state.id)}__always : ${text}`);
  const children = state.states.map((child) => [...stateLines(child, ways)]);
  const first = state.states.find(({ name }) => name === state.initial);
  const start = first === undefined ? [] : [`[*] --> ${nameOf(first.id)}`];
  const ends = state.states.filter(({ type }) => type === 'final');
  const drawn = [
    ...start,
    ...waysIn(state, ways),
    ...ends.map(({ id }) => `${nameOf(id)} --> [*]`),
  ];
  if (state.type !== 'parallel') return [...handlers, ...children.flat(), ...drawn];
  const regions = [...(handlers.length === 0 ? [] : [handlers]), ...children];
  return regions.flatMap((lines, index) => (index === 0 ? lines : ['--', ...lines])).concat(drawn);
}

function stateLines(state: StateDefinition, ways: readonly EdgeDefinition[]): string[] {
  const name = nameOf(state.id);
  const head = `state "${state.name}" as ${name}`;
  if (state.states.length > 0)
    return [`${head} {`, ...inside(state, ways).map((line) => `  ${line}`), '}'];
  const texts = innerText(state, nowhere, Number.POSITIVE_INFINITY).lines.map(textOf);
  return [head, ...texts.map((text) => `${name} : ${text}`)];
}

/** The edges between two different child states of this state. */
function waysIn(state: StateDefinition, ways: readonly EdgeDefinition[]): string[] {
  const childOf = (id: string) =>
    state.states.find((child) => child.id === id || id.startsWith(`${child.id}.`));
  return ways.flatMap((edge) =>
    edge.targets.flatMap((target) => {
      const [from, to] = [childOf(edge.source), childOf(target)];
      if (from === undefined || to === undefined || from === to) return [];
      const text = labelText([edge], nowhere, Number.POSITIVE_INFINITY).lines.map(textOf).join();
      const inner = [
        ...(from.id === edge.source ? [] : [`from ${edge.source.slice(from.id.length + 1)}`]),
        ...(to.id === target ? [] : [`to ${target.slice(to.id.length + 1)}`]),
      ];
      const said = inner.length === 0 ? text : `(${inner.join(' ')}) ${text}`;
      return [`${nameOf(from.id)} --> ${nameOf(to.id)} : ${said}`];
    }),
  );
}

function marks(states: readonly StateDefinition[]): string[] {
  if (states.length === 0) return [];
  const names = states.map(({ id }) => nameOf(id)).join(',');
  return ['  classDef now stroke-width:4px,font-weight:bold', `  class ${names} now`];
}

function leavesBelow(state: StateDefinition): StateDefinition[] {
  return state.states.length === 0 ? [state] : state.states.flatMap(leavesBelow);
}

function textOf({ runs }: { runs: readonly { text: string }[] }): string {
  return runs.map(({ text }) => text).join(' ');
}

function edgesBelow(state: StateDefinition): EdgeDefinition[] {
  return [...state.edges, ...state.states.flatMap(edgesBelow)];
}
