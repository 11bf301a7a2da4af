import { describe, expect, it } from 'vitest';
import { and, not, or, setup } from 'xstate';
import { definitionOf, machineDefinitions } from '../../../src/inspector/definitions.ts';
import type { EdgeDefinition, StateDefinition } from '../../../src/inspector/wire.ts';
import { KINDS } from '../../../src/node/kinds.ts';

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
});
