import { describe, expect, it } from 'vitest';
import { machineDefinition } from '../../../src/inspector/charts/definitions.ts';
import { activeStates, indexChart } from '../../../src/inspector/charts/states.ts';
import { byCauser, possibleNext } from '../../../src/inspector-page/views/chart/next.ts';

const channel = indexChart(machineDefinition('channel').root);
const mediator = indexChart(machineDefinition('mediator').root);
const idle = 'opened.deposit.idle+withdraw.idle';

describe('the active states of a chart', () => {
  it('are those of the text, with all around them', () => {
    expect([...activeStates(channel, idle)]).toEqual([
      '',
      'opened',
      'opened.deposit',
      'opened.deposit.idle',
      'opened.withdraw',
      'opened.withdraw.idle',
    ]);
  });

  it('are found in the regions of a root too', () => {
    const active = activeStates(mediator, 'payer.unpaid.pending+payee.waiting');
    expect(active).toContain('payer.unpaid.pending');
    expect(active).toContain('payee.waiting');
  });

  it('find the region of a state that lies around an inner one', () => {
    const active = activeStates(channel, 'opened.withdraw.pending.asking+deposit.depositing');
    expect(active).toContain('opened.deposit.depositing');
  });

  it('leave out what the chart does not have', () => {
    expect([...activeStates(channel, 'opened.nowhere+else')]).toEqual(['', 'opened']);
    expect([...activeStates(channel, '')]).toEqual(['']);
  });
});

describe('what can happen next', () => {
  const next = possibleNext(channel, activeStates(channel, idle));
  const edgesOf = (event: string) =>
    next.find((possible) => possible.event === event)?.edges.map(({ id }) => id);

  it('asks the inner state first and ends at an edge without a guard', () => {
    expect(edgesOf('cmd.deposit')).toEqual([
      'opened.deposit.idle|cmd.deposit|0',
      'opened.deposit.idle|cmd.deposit|1',
      'opened.deposit.idle|cmd.deposit|2',
    ]);
  });

  it('includes the edges of surrounding states when all inner guards may be closed', () => {
    expect(edgesOf('msg.sync')).toEqual(['opened|msg.sync|0', 'opened|msg.sync|1']);
    expect(edgesOf('chain.channelClosed')).toEqual(['|chain.channelClosed|0']);
  });

  it('is listed by who can make it happen', () => {
    const groups = byCauser(next);
    expect(groups.map(({ who }) => who)).toEqual([
      'You, over the API',
      'The partner',
      'The chain',
      'Another actor of this node',
    ]);
    expect(groups[1]?.possible.map(({ event }) => event)).toContain('msg.update');
    expect(groups.flatMap(({ possible }) => possible)).toHaveLength(next.length);
  });

  it('leaves out edges of surrounding states that an inner state overrides', () => {
    expect(edgesOf('cmd.close')).toEqual(['opened|cmd.close|0']);
    expect(edgesOf('chain.channelWithdraw')).toEqual([
      'opened|chain.channelWithdraw|0',
      'opened|chain.channelWithdraw|1',
    ]);
  });

  it('begins with what a person can do', () => {
    expect(next[0]?.event).toMatch(/^cmd\./);
    expect(next.map(({ event }) => event)).not.toContain('');
  });

  it('has nothing in a final state but what its surroundings take', () => {
    const gone = possibleNext(channel, activeStates(channel, 'gone'));
    expect(gone.flatMap(({ edges }) => edges.map(({ source }) => source))).not.toContain('gone');
  });
});
