import { describe, expect, it } from 'vitest';
import { stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { createWakeUps } from '../../../src/node/runtime/actors/wake-ups.ts';
import { openChannel } from '../../support/channel-makers.ts';
import { keeper } from '../../support/keeper-makers.ts';
import { CHANNEL, secretOf } from '../../support/makers.ts';
import { mediator } from '../../support/mediation-makers.ts';
import { target } from '../../support/payment-makers.ts';

/** A keeper of an own lock, which waits for the block. */
const waiting = (wakeBlock: bigint | null) => {
  const { value, context } = keeper().snapshot;
  return stateFrom('keeper:1', { value, context: { ...context, wakeBlock } });
};

/** Whoever is due at the block, in order. */
function dueAt(wakeUps: ReturnType<typeof createWakeUps>, block: bigint): string[] {
  wakeUps.reach(block);
  const due: string[] = [];
  for (let id = wakeUps.next(); id !== null; id = wakeUps.next()) due.push(id);
  return due;
}

describe('an actor that waits for a block', () => {
  it('is woken once its block is reached, and once only', () => {
    const wakeUps = createWakeUps();
    wakeUps.note('a', waiting(7n));
    wakeUps.note('b', waiting(8n));
    expect(dueAt(wakeUps, 6n)).toEqual([]);
    expect(dueAt(wakeUps, 7n)).toEqual(['a']);
    expect(wakeUps.size()).toBe(1);
    expect(dueAt(wakeUps, 9n)).toEqual(['b']);
    expect(dueAt(wakeUps, 9n)).toEqual([]);
  });

  it('waits for the block that it named last, or for none', () => {
    const wakeUps = createWakeUps();
    for (const block of [7n, 9n]) wakeUps.note('a', waiting(block));
    expect(dueAt(wakeUps, 8n)).toEqual([]);
    wakeUps.note('a', waiting(null));
    expect([dueAt(wakeUps, 9n), wakeUps.size()]).toEqual([[], 0]);
  });

  it('waits for nothing any more when it has ended', () => {
    const wakeUps = createWakeUps();
    wakeUps.note('a', waiting(7n));
    wakeUps.forget('a');
    expect([dueAt(wakeUps, 9n), wakeUps.size()]).toEqual([[], 0]);
  });

  it('is woken at the next block when it waits for one that has come', () => {
    const wakeUps = createWakeUps();
    wakeUps.reach(7n);
    wakeUps.note('a', waiting(5n));
    expect(dueAt(wakeUps, 7n)).toEqual([]);
    expect(dueAt(wakeUps, 8n)).toEqual(['a']);
  });

  it('is still woken at the block that has come when it changes before its turn', () => {
    const wakeUps = createWakeUps();
    wakeUps.note('a', waiting(7n));
    for (const block of [7n, 8n, 9n]) {
      wakeUps.reach(block);
      wakeUps.note('a', waiting(7n));
    }
    expect(dueAt(wakeUps, 9n)).toEqual(['a']);
    wakeUps.note('a', waiting(7n));
    expect([dueAt(wakeUps, 9n), dueAt(wakeUps, 10n)]).toEqual([[], ['a']]);
  });

  it('is woken in its turn, however often it has changed', () => {
    const wakeUps = createWakeUps();
    wakeUps.note('late', waiting(9n));
    for (let n = 0; n < 1_000; n++) wakeUps.note('a', waiting(BigInt(2_000 - n)));
    wakeUps.note('a', waiting(8n));
    expect(dueAt(wakeUps, 9n)).toEqual(['a', 'late']);
  });
});

describe('of actors that are due at one block', () => {
  /** The state, due at block 7. */
  const due = (
    id: string,
    { snapshot }: { snapshot: { value: unknown; context: object } },
    parts = {},
  ) => {
    const context = { ...snapshot.context, wakeBlock: 7n, ...parts };
    return stateFrom(id, { value: snapshot.value, context });
  };
  const known = { secret: secretOf(1) };

  it.each([
    ['a target that may have to register', 'target:1', due('target:1', target(), known)],
    ['a mediator that may have to register', 'mediator:1', due('mediator:1', mediator(), known)],
    ['a closed channel', CHANNEL, { ...due(CHANNEL, openChannel()), value: 'closed' }],
  ] as const)('%s comes first', (_, id, state) => {
    const wakeUps = createWakeUps();
    wakeUps.note('keeper:1', waiting(6n));
    wakeUps.note(id, state);
    wakeUps.note('keeper:2', waiting(7n));
    wakeUps.reach(7n);
    expect(wakeUps.firstUrgent()).toBe(7n);
    expect(wakeUps.next()).toBe(id);
    expect([wakeUps.firstUrgent(), wakeUps.isAnyDue()]).toEqual([null, true]);
    expect(dueAt(wakeUps, 7n)).toEqual(['keeper:1', 'keeper:2']);
  });

  it.each([
    ['a target without the secret', 'target:1', due('target:1', target(), { secret: null })],
    ['a mediator without the secret', 'mediator:1', due('mediator:1', mediator())],
    ['an open channel', CHANNEL, due(CHANNEL, openChannel())],
  ] as const)('%s waits for its turn', (_, id, state) => {
    const wakeUps = createWakeUps();
    wakeUps.note('keeper:1', waiting(6n));
    wakeUps.note(id, state);
    expect(dueAt(wakeUps, 7n)).toEqual(['keeper:1', id]);
  });
});
