import { describe, expect, it } from 'vitest';
import type { StepRecords } from '../../../src/inspector/wire.ts';
import { entryOf, traceCauses } from '../../../src/inspector-page/views/history/causes.ts';
import {
  moveText,
  stepCauseText,
  stepLine,
} from '../../../src/inspector-page/views/history/steps.ts';
import { missing, moved, spawned } from '../../support/step-makers.ts';

const told = (actor: string, seq: number | null) => ({ from: 'actor' as const, actor, seq });

describe('a step as a line', () => {
  it('tells what happened, and from where to where', () => {
    const step = moved(7, 'opened', 'closed', { event: 'chain.channelClosed' });
    expect(stepLine(step)).toMatchObject({
      seq: 7,
      block: 7n,
      what: 'chain.channelClosed',
      from: 'opened',
      to: 'closed',
      gap: null,
    });
  });

  it('tells a spawn, and says of missing steps why they are', () => {
    expect(stepLine(spawned(1, 'opened'))).toMatchObject({
      what: 'spawned',
      from: null,
      to: 'opened',
    });
    expect(stepLine(missing(1, 1_240))?.gap).toBe('Up to 1,240 steps are no longer kept');
    expect(stepLine(missing(5, 5, 'other'))?.gap).toBe(
      '1 step was made by another version of the charts',
    );
    expect(stepLine([])).toBeNull();
  });

  it('shows of regions side by side only the one that moved', () => {
    const moves = [
      moved(1, 'a', 'b'),
      moved(2, 'o.x.idle+y.idle', 'o.x.idle+y.busy'),
      moved(3, 'o.x.idle+y.idle', 'closed'),
      moved(4, 'a', 'a'),
    ].map((step) => {
      const line = stepLine(step);
      return line === null ? '' : moveText(line);
    });
    expect(moves).toEqual(['a → b', 'y.idle → y.busy', 'o.x.idle+y.idle → closed', 'stays']);
  });

  it('says in words what came from outside', () => {
    const causes = ['cmd.close', 'msg.sync', 'chain.block', 'clock.tick'].map((event) => {
      const line = stepLine(moved(1, 'a', 'b', { event }));
      return line === null ? '' : stepCauseText(line);
    });
    expect(causes).toEqual(['a caller', 'the partner', 'the chain', 'the clock']);
  });
});

describe('the causes of a step', () => {
  const pay = moved(1, 'new', 'asking', { actor: 'initiator:0x1', event: 'cmd.pay' });
  const lock = moved(2, 'opened', 'opened', {
    event: 'actor.addLock',
    cause: told('initiator:0x1', 1),
  });
  const added = moved(3, 'asking', 'pending', {
    actor: 'initiator:0x1',
    event: 'actor.lockAdded',
    cause: told('channel:0x01:7', 2),
  });
  const known = new Map<string, StepRecords>([
    ['initiator:0x1 1', pay],
    ['channel:0x01:7 2', lock],
  ]);
  const find = (actor: string, seq: number) =>
    Promise.resolve(known.get(`${actor} ${seq}`) ?? null);

  it('go from actor to actor back to what came from outside', async () => {
    const { lines, end } = await traceCauses(added, find);
    expect(lines.map(({ seq }) => seq)).toEqual([3, 2, 1]);
    expect(end).toBe('outside');
  });

  it('end where a step is no longer known', async () => {
    known.delete('initiator:0x1 1');
    const { lines, end } = await traceCauses(added, find);
    expect(lines.map(({ seq }) => seq)).toEqual([3, 2]);
    expect(end).toBe('unknown');
  });

  it('end after many, even when they went in a circle', async () => {
    const circle = moved(9, 'a', 'b', { cause: told('channel:0x01:7', 9) });
    const { lines, end } = await traceCauses(circle, () => Promise.resolve(circle));
    expect(lines.length).toBeLessThan(100);
    expect(end).toBe('long');
  });
});

describe('the step at which a state was entered', () => {
  const steps = [moved(1, 'a', 'b'), moved(2, 'b', 'b'), moved(3, 'b', 'c'), moved(4, 'c', 'c')];

  it('is the newest that moved, up to the chosen one', () => {
    expect(entryOf(steps, 3)?.[0]?.seq).toBe(3);
    expect(entryOf(steps, 1)?.[0]?.seq).toBe(1);
  });

  it('is not known when steps are missing in between', () => {
    expect(entryOf([moved(1, 'a', 'b'), missing(2, 8), moved(9, 'b', 'b')], 2)).toBeNull();
    expect(entryOf([moved(2, 'b', 'b')], 0)).toBeNull();
  });
});
