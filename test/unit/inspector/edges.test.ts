import { describe, expect, it } from 'vitest';
import type { AnyStateNode } from 'xstate';
import { channelMachine } from '../../../machines/channel/chart.ts';
import { edgeId, edgesOf, stateId } from '../../../src/inspector/charts/edges.ts';
import { KINDS } from '../../../src/node/runtime/actors/kinds.ts';

function withStates(node: AnyStateNode): AnyStateNode[] {
  return [node, ...Object.values(node.states).flatMap(withStates)];
}

describe('an edge of a chart', () => {
  it('is named by its state, its event and its place among those for the event', () => {
    const opened = channelMachine.root.states.opened;
    const idle = opened?.states.deposit?.states.idle;
    if (idle === undefined) throw new Error('the channel has no idle deposit');
    expect(edgesOf(idle).map(edgeId)).toEqual([
      'opened.deposit.idle|cmd.deposit|0',
      'opened.deposit.idle|cmd.deposit|1',
      'opened.deposit.idle|cmd.deposit|2',
      'opened.deposit.idle||0',
    ]);
    expect(edgesOf(channelMachine.root).map(edgeId)).toContain('|cmd.*|0');
  });

  it('has a name that no other edge of its machine has', () => {
    for (const { machine } of Object.values(KINDS)) {
      const ids = withStates(machine.root).flatMap((node) => edgesOf(node).map(edgeId));
      expect(ids).not.toContain(null);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('has no name where it only leads to the initial state', () => {
    expect(edgeId(channelMachine.root.initial)).toBeNull();
    expect(stateId(channelMachine.root)).toBe('');
  });
});
