import { describe, expect, it } from 'vitest';
import { channelMachine } from '../../../machines/channel/chart.ts';
import { isOpen, isUnclosed, phaseOf } from '../../../machines/channel/phase.ts';

describe('the phase of a channel', () => {
  const states = Object.keys(channelMachine.states);

  it('is the first word of each state that its chart has', () => {
    expect(states).toHaveLength(7);
    for (const state of states) expect(phaseOf(`${state}.whatever`)).toBe(state);
    expect(() => phaseOf('open')).toThrow('no channel is ever open');
    expect(() => phaseOf('constructor')).toThrow();
  });

  it('says whether it takes payments, and whether it can be closed', () => {
    expect(states.filter(isOpen)).toEqual(['opened']);
    expect(states.filter(isUnclosed)).toEqual(['opened', 'stale', 'closing']);
  });
});
