import { describe, expect, it } from 'vitest';
import { rowOf, stateIn } from '../../../src/node/runtime/actors/kinds.ts';
import { type Shapes, upgraded } from '../../../src/node/runtime/actors/upgrades.ts';
import { keeper } from '../../support/keeper-makers.ts';

describe('an actor whose kind has had three shapes', () => {
  /** An invented kind: its second version counted, its third has another name for the state. */
  const shapes: Shapes = {
    version: 3,
    upgrades: {
      1: ({ value, context }) => ({ value, context: { ...context, count: 0n } }),
      2: ({ context }) => ({ value: { on: 'idle' }, context }),
    },
  };
  const stored = (version: number, context: object = { count: 5n }) =>
    upgraded({ id: 'lamp:1', version }, shapes, { value: 'on', context });

  it('is brought to the shape of today, one version at a time', () => {
    expect(stored(1, {})).toEqual({ value: { on: 'idle' }, context: { count: 0n } });
    expect(stored(2)).toEqual({ value: { on: 'idle' }, context: { count: 5n } });
    expect(stored(3)).toEqual({ value: 'on', context: { count: 5n } });
  });

  it.each([0, 4])('is refused when version %d wrote it, which nothing leads on from', (version) => {
    expect(() => stored(version)).toThrow(
      `actor lamp:1 was stored by another version of sluice (${version})`,
    );
  });

  it('is refused when it is no state', () => {
    expect(() => upgraded({ id: 'lamp:1', version: 1 }, shapes, { value: 7 })).toThrow();
  });
});

describe('an actor of a kind that has had one shape only', () => {
  const held = keeper().snapshot;
  const row = rowOf(held.context.id, held);

  it('is read as it was stored', () => {
    expect(stateIn(row)).toMatchObject({ kind: 'keeper', context: held.context });
  });

  it('is refused when a later version wrote it', () => {
    expect(() => stateIn({ ...row, version: 2 })).toThrow(
      `actor ${row.id} was stored by another version of sluice (2)`,
    );
  });

  it('is refused when there is no such kind', () => {
    const id = 'stranger:1';
    expect(() => stateIn({ ...row, id })).toThrow('no machine for actor stranger:1');
  });
});
