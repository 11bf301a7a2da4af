import { describe, expect, it } from 'vitest';
import { machineDefinition } from '../../../src/inspector/charts/definitions.ts';
import { activeStates, indexChart } from '../../../src/inspector/charts/states.ts';
import type { MachineDefinition } from '../../../src/inspector/wire.ts';
import {
  foldableEdges,
  foldableStates,
  folded,
} from '../../../src/inspector-page/views/drawing/folding.ts';

const channel = machineDefinition('channel');
const nothing: ReadonlySet<string> = new Set();

function foldableIn(machine: MachineDefinition, state: string, moved = nothing): string[] {
  return foldableStates(machine.root, activeStates(indexChart(machine.root), state), moved);
}
const statesOf = (machine: MachineDefinition) => [...indexChart(machine.root).states.keys()];
const edgesOf = (machine: MachineDefinition) => [...indexChart(machine.root).edges.values()];

describe('the states that are closed up', () => {
  const IDLE = 'opened.deposit.idle+withdraw.idle';

  it('are compound states in which the actor is not', () => {
    const found = foldableIn(channel, IDLE);
    expect(found).toContain('opened.withdraw.pending');
    expect(found).toContain('closing');
    expect(found.some((id) => 'opened.withdraw.idle'.startsWith(id))).toBe(false);
    expect(foldableIn(channel, 'opened.deposit.idle+withdraw.pending.asking')).not.toContain(
      'opened.withdraw.pending',
    );
  });

  it('are not those through which the last transition went', () => {
    const inner = edgesOf(channel).find(({ source }) => source.startsWith('closing.'));
    expect(foldableIn(channel, IDLE, new Set([inner?.id ?? '']))).not.toContain('closing');
  });

  it('are drawn empty, and keep every edge into them and out of them', () => {
    const ids = foldableIn(channel, IDLE);
    const closed = folded(channel, { states: ids, edges: [] });
    const isInside = (id: string) => ids.some((outer) => id.startsWith(`${outer}.`));
    expect(statesOf(closed)).toEqual(statesOf(channel).filter((id) => !isInside(id)));
    for (const { source, targets } of edgesOf(closed))
      expect([source, ...targets].filter(isInside)).toEqual([]);
    const outer = (id: string) => ids.find((one) => id.startsWith(`${one}.`)) ?? id;
    const waysOf = (machine: MachineDefinition) =>
      new Set(
        edgesOf(machine).flatMap(({ source, targets }) =>
          targets
            .map((target) => [outer(source), outer(target)])
            .filter(([from, to]) => from !== to)
            .map((ends) => ends.join(' > ')),
        ),
      );
    expect(waysOf(closed)).toEqual(waysOf(channel));
  });

  it('leave a chart as it is where none is closed up', () => {
    expect(folded(channel, { states: [], edges: [] })).toBe(channel);
    expect(folded(channel, { states: ['closing'], edges: [] }).version).not.toBe(channel.version);
  });
});

describe('the events that a state takes wherever it is', () => {
  const opened = (machine: MachineDefinition) => indexChart(machine.root).states.get('opened');

  it('are folded while they never came, and counted beside the name of the state', () => {
    const edges = foldableEdges(channel.root, nothing);
    const closed = folded(channel, { states: [], edges });
    expect(opened(closed)?.name).toMatch(/^opened · always: \d+ more events$/);
    expect(opened(closed)?.edges.some(({ id }) => edges.includes(id))).toBe(false);
  });

  it('are shown with all their ways once they came', () => {
    const unlock = opened(channel)?.edges.find(({ event }) => event === 'actor.unlock');
    const folds = foldableEdges(channel.root, new Set([unlock?.id ?? '']));
    const shown = edgesOf(channel).filter(({ id }) => !folds.includes(id));
    const ways = (edges: typeof shown) => edges.filter(({ event }) => event === 'actor.unlock');
    expect(ways(shown)).toEqual(ways(edgesOf(channel)));
  });

  it('are all shown in a state that has few of them', () => {
    const inner = indexChart(channel.root).states.get('opened.deposit');
    expect(inner === undefined ? null : foldableEdges(inner, nothing)).toEqual([]);
  });
});
