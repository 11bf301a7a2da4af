/** How the parts of a node hear of what happens in it. */
import { describe, expect, it } from 'vitest';
import { createHappenings } from '../../../src/node/runtime/happenings.ts';
import { CHANNEL, PARTNER } from '../../support/makers.ts';

describe('what happens in a node', () => {
  it('is told at once, to all who follow it, in the order in which they began to', () => {
    const { on, tell } = createHappenings();
    const heard: string[] = [];
    on('ended', (id) => void heard.push(`first ${id}`));
    on('ended', (id) => void heard.push(`second ${id}`));
    on('away', (partner) => void heard.push(partner));
    tell('ended', CHANNEL);
    expect(heard).toEqual([`first ${CHANNEL}`, `second ${CHANNEL}`]);
    tell('away', PARTNER);
    expect(heard).toHaveLength(3);
  });

  it('fails with whoever tells, and nobody after that hears of it', () => {
    const { on, tell } = createHappenings();
    const heard: string[] = [];
    on('ended', () => {
      throw new Error('it cannot be counted');
    });
    on('ended', (id) => void heard.push(id));
    expect(() => tell('ended', CHANNEL)).toThrow('it cannot be counted');
    expect(heard).toEqual([]);
  });
});
