import { describe, expect, it } from 'vitest';
import { and, not, or, setup } from 'xstate';
import { definitionOf, machineDefinitions } from '../../../src/inspector/charts/definitions.ts';
import type { EdgeDefinition, StateDefinition } from '../../../src/inspector/wire.ts';
import { KINDS } from '../../../src/node/runtime/actors/kinds.ts';

const lamp = setup({
  guards: { isDark: () => true, isLate: () => true, isOf: (_, _params: { room: string }) => true },
  actions: { light: () => {}, say: (_, _params: { word: string }) => {} },
});
type Lamp = Parameters<typeof lamp.createMachine>[0];

/** A small chart; `changed` replaces what its state `off` does. */
function lampChart(changed: NonNullable<Lamp['states']>[string] = {}) {
  return lamp.createMachine({
    initial: 'off',
    description: 'A lamp.',
    states: {
      off: {
        on: {
          press: [
            { guard: and(['isDark', not('isLate')]), target: 'on', actions: 'light' },
            { guard: or(['isDark', { type: 'isOf', params: { room: 'hall' } }]), target: 'off' },
            { actions: { type: 'say', params: { word: 'day' } } },
          ],
        },
        ...changed,
      },
      on: { type: 'final', entry: 'light', description: 'It burns.' },
    },
  });
}

function statesOf(state: StateDefinition): StateDefinition[] {
  return [state, ...state.states.flatMap(statesOf)];
}
const edgesOf = (root: StateDefinition): EdgeDefinition[] =>
  statesOf(root).flatMap(({ edges }) => edges);

describe('the definition of a chart', () => {
  it('tells each state with its path, its kind and where it begins', () => {
    const { root } = definitionOf('lamp', lampChart());
    expect(root).toMatchObject({
      id: '',
      type: 'compound',
      initial: 'off',
      description: 'A lamp.',
    });
    expect(root.states.map(({ id, type, entry }) => ({ id, type, entry }))).toEqual([
      { id: 'off', type: 'atomic', entry: [] },
      { id: 'on', type: 'final', entry: ['light'] },
    ]);
  });

  it('takes guards apart that must all hold, and tells `not` and `or` from them', () => {
    const edges = edgesOf(definitionOf('lamp', lampChart()).root);
    expect(edges.map(({ guards }) => guards)).toEqual([
      ['isDark', 'not isLate'],
      ['isDark or isOf(hall)'],
      [],
    ]);
  });

  it('names actions with their parameters', () => {
    const edges = edgesOf(definitionOf('lamp', lampChart()).root);
    expect(edges.map(({ actions }) => actions)).toEqual([['light'], [], ['say(day)']]);
  });

  it('tells an edge that stays from one that goes', () => {
    const edges = edgesOf(definitionOf('lamp', lampChart()).root);
    expect(edges.map(({ id, targets }) => ({ id, targets }))).toEqual([
      { id: 'off|press|0', targets: ['on'] },
      { id: 'off|press|1', targets: ['off'] },
      { id: 'off|press|2', targets: [] },
    ]);
  });

  it('has the same version however often it is made, and another when the chart does something else', () => {
    const { version } = definitionOf('lamp', lampChart());
    expect(definitionOf('lamp', lampChart()).version).toBe(version);
    const others = [
      lampChart({ on: { press: 'on' } }),
      lampChart({ entry: 'light' }),
      lampChart({ on: { press: { guard: 'isDark', target: 'on' } } }),
      lampChart({ states: { warm: {} }, initial: 'warm' }),
    ];
    const versions = others.map((machine) => definitionOf('lamp', machine).version);
    expect(new Set([version, ...versions]).size).toBe(5);
  });

  it('keeps its version when only its words are others', () => {
    const { version } = definitionOf('lamp', lampChart());
    expect(definitionOf('lamp', lampChart({ description: 'Dark.' })).version).toBe(version);
  });

  it('refuses a guard or an action that is no name, for nobody could say what it does', () => {
    const nameless = setup({}).createMachine({ on: { press: { guard: () => true } } });
    expect(() => definitionOf('lamp', nameless)).toThrow('is no name');
  });
});

describe('the definitions of the machines', () => {
  it('are there for every machine that the node runs', () => {
    expect(machineDefinitions().map(({ machine }) => machine)).toEqual(Object.keys(KINDS));
  });

  it('give each edge an id of its own, and lead to states that are there', () => {
    for (const { machine, root } of machineDefinitions()) {
      const ids = edgesOf(root).map(({ id }) => id);
      expect(new Set(ids).size, machine).toBe(ids.length);
      const states = new Set(statesOf(root).map(({ id }) => id));
      const targets = edgesOf(root).flatMap((edge) => edge.targets);
      expect(targets.filter((target) => !states.has(target))).toEqual([]);
    }
  });

  it('say of each state, guard and action what it means', () => {
    for (const { machine, root, guards, actions, description } of machineDefinitions()) {
      const said = new Map(Object.entries({ ...guards, ...actions }));
      const states = statesOf(root);
      const named = [
        ...edgesOf(root).flatMap((edge) => [...edge.guards, ...edge.actions]),
        ...states.flatMap(({ entry, exit }) => [...entry, ...exit]),
      ];
      const mute = [
        ...(isSentence(description) ? [] : ['the machine']),
        ...states.filter((state) => !isSentence(state.description)).map(({ id }) => id),
        ...named.filter((name) => !isSentence(said.get(name.replace(/\(.*/, '')) ?? '')),
        ...[...said].filter(([, sentence]) => !isSentence(sentence)).map(([name]) => name),
      ];
      expect(mute, machine).toEqual([]);
    }
  });

  it('have no state that no way leads to, and no way out of a final one', () => {
    for (const { machine, root } of machineDefinitions()) {
      const states = statesOf(root);
      const reached = reachedFrom(root);
      expect(
        states.filter(({ id }) => !reached.has(id)).map(({ id }) => id),
        machine,
      ).toEqual([]);
      const ends = states.filter(({ type }) => type === 'final');
      expect(ends.filter(({ edges }) => edges.length > 0)).toEqual([]);
    }
  });

  it('find the state that no way leads to', () => {
    const { root } = definitionOf('lamp', lampChart({ on: {} }));
    expect([...reachedFrom(root)]).toEqual(['', 'off']);
  });
});

const isSentence = (text: string) => /^[A-Z].*[.]$/.test(text);

/** The states that the chart can ever be in, whatever its guards say. */
function reachedFrom(root: StateDefinition): ReadonlySet<string> {
  const byId = new Map(statesOf(root).map((state) => [state.id, state]));
  const reached = new Set<string>();
  const enter = (id: string): void => {
    const state = byId.get(id);
    if (state === undefined || reached.has(id)) return;
    reached.add(id);
    if (id !== '') enter(id.slice(0, Math.max(0, id.lastIndexOf('.'))));
    for (const child of state.states)
      if (state.type === 'parallel' || child.name === state.initial) enter(child.id);
    for (const { targets } of state.edges) targets.forEach(enter);
  };
  enter('');
  return reached;
}
