import { describe, expect, it } from 'vitest';
import { machineDefinition } from '../../../src/inspector/charts/definitions.ts';
import { indexChart } from '../../../src/inspector/charts/states.ts';
import { createActivityReader } from '../../../src/inspector-page/views/chart/activity.ts';
import { missing, moved, spawned } from '../../support/step-makers.ts';

const channel = indexChart(machineDefinition('channel').root);
const idle = 'opened.deposit.idle+withdraw.idle';
const depositing = 'opened.deposit.depositing+withdraw.idle';
const start = 'opened.deposit.idle|cmd.deposit|1';
const canDeposit = {
  guard: 'canDeposit',
  transition: start,
  reads: [{ path: 'event.totalDeposit', value: 5n }],
};

describe('the activity of a chart', () => {
  it('counts how often states were entered and edges were taken', () => {
    const { entered, taken, state } = createActivityReader(channel)(null, [
      spawned(1, idle),
      moved(2, idle, depositing, { edges: [start] }),
      moved(3, depositing, idle),
      moved(4, idle, depositing, { edges: [start] }),
    ]);
    expect(state).toBe(depositing);
    expect(entered.get('opened.deposit.depositing')).toBe(2);
    expect(entered.get('opened.deposit.idle')).toBe(2);
    expect(entered.get('opened')).toBe(1);
    expect(entered.has('closed')).toBe(false);
    expect(taken.get(start)).toEqual({ count: 2, block: 4n });
  });

  it('counts the state before the first known step as visited', () => {
    const base = { seq: 1, state: 'closed', context: {} };
    const { entered } = createActivityReader(channel)(base, [moved(2, 'closed', 'settling')]);
    expect(entered.get('closed')).toBe(1);
    expect(entered.get('settling')).toBe(1);
  });

  it('goes on with the state that follows missing steps', () => {
    const { entered, state } = createActivityReader(channel)(null, [
      spawned(1, idle),
      missing(2, 900),
      moved(901, 'closed', 'settling'),
    ]);
    expect(entered.get('closed')).toBe(1);
    expect(state).toBe('settling');
  });

  it('remembers with which values an edge was blocked last', () => {
    const blocked = { guards: [{ ...canDeposit, isOpen: false }], event: 'cmd.deposit' };
    const { lastBlocked, lastAttempt } = createActivityReader(channel)(null, [
      moved(2, idle, idle, blocked),
      moved(3, idle, depositing, { edges: [start], guards: [{ ...canDeposit, isOpen: true }] }),
    ]);
    expect(lastBlocked.get(start)).toMatchObject({
      seq: 2,
      block: 2n,
      isTaken: false,
      guards: [{ guard: 'canDeposit', isOpen: false, reads: canDeposit.reads }],
    });
    expect(lastAttempt.get(start)).toMatchObject({ seq: 3, isTaken: true });
  });

  it('tells the newest move and not a step that changed nothing', () => {
    const { move } = createActivityReader(channel)(null, [
      moved(2, idle, depositing, { edges: [start] }),
      moved(3, depositing, depositing),
    ]);
    expect(move).toMatchObject({ seq: 2, edges: [start] });
  });

  it('goes on where it was when newer steps are added, and begins anew when older ones are', () => {
    const read = createActivityReader(channel);
    const steps = [moved(5, idle, depositing, { edges: [start] })];
    read(null, steps);
    const more = [...steps, moved(6, depositing, idle)];
    expect(read(null, more).taken.get(start)?.count).toBe(1);
    const older = [moved(3, idle, depositing, { edges: [start] }), moved(4, depositing, idle)];
    expect(read(null, [...older, ...more]).taken.get(start)?.count).toBe(2);
    expect(read(null, steps).taken.get(start)?.count).toBe(1);
  });
});
