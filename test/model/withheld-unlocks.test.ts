/** A payer that never unlocks, in a line of three: its mediator claims on chain, whatever else happens. */
import { describe, expect, it } from 'vitest';
import type { Action, Settings } from './actions.ts';
import { channelOf } from './checks.ts';
import { CRASHES, FREE } from './plans.ts';
import { finish, newWorld, play } from './runs.ts';
import type { World } from './world.ts';

const LINE: Settings = {
  seed: 1,
  revealTimeouts: [14, 14, 14],
  settleTimeout: 30,
  deposits: [
    [100, 100],
    [100, 100],
  ],
  fees: { ...FREE, flat: 2n },
};
const pay: Action = { do: 'pay', by: 0, amount: 5, blocks: 0 };
const withhold = (blocks: number): Action => ({ do: 'withhold', by: 0, blocks });
/** Blocks, repeats and deliveries in turn. */
const goOn = (times: number): Action[] =>
  Array.from({ length: times }, (): Action[] => [
    { do: 'mine', blocks: 1 },
    { do: 'wait', seconds: 60 },
    { do: 'flow', parcels: 100 },
  ]).flat();
/** The lock lives 27 blocks; 14 are kept to register; the partner has 18 more. */
const UNTIL_REGISTERED = 20;
const UNTIL_CLOSED = 60;
const LONG = 200;

const paidOver = ({ endOf }: World) => endOf(1).disk.mediations().length;
const stateAt = (world: World) => channelOf(world.endOf(1), 1n)?.value ?? 'gone';
const closes = ({ chain }: World) =>
  chain.logsIn(0n, chain.head()).filter(({ type }) => type === 'chain.channelClosed');

describe('a payer whose unlock is withheld', () => {
  it('gets no second payment passed on, and its mediator closes and is paid to the unit', () => {
    const world = newWorld(LINE);
    const flow: Action = { do: 'flow', parcels: 100 };
    play(world, [withhold(LONG), pay, flow, ...goOn(UNTIL_REGISTERED)]);
    expect(stateAt(world)).toContain('opened');
    expect(channelOf(world.endOf(1), 2n)?.channel.ownEnd).toMatchObject({
      transferred: 5n,
      locks: [],
    });
    play(world, goOn(UNTIL_CLOSED));
    expect(closes(world)).toMatchObject([{ closer: world.endOf(1).own, channelId: 1n }]);
    finish(world);
    expect(paidOver(world)).toBe(1);
  });

  it('keeps its channel when it unlocks before its time is over', () => {
    const world = newWorld(LINE);
    play(world, [withhold(UNTIL_REGISTERED + 10), pay, ...goOn(UNTIL_REGISTERED + UNTIL_CLOSED)]);
    expect(closes(world)).toEqual([]);
    expect(stateAt(world)).toContain('opened');
    finish(world);
    expect(paidOver(world)).toBe(1);
  });

  it.each(CRASHES)('is claimed from, also when the mediator dies at %s', (point) => {
    for (let left = 1; left <= 3; left++) {
      const world = newWorld(LINE);
      play(world, [withhold(LONG), pay, ...goOn(UNTIL_REGISTERED)]);
      play(world, [{ do: 'arm', by: 1, point, left }, ...goOn(UNTIL_CLOSED)]);
      finish(world);
      expect(paidOver(world)).toBe(1);
    }
  });

  it('is claimed from when the first close fails', () => {
    const world = newWorld(LINE);
    play(world, [withhold(LONG), pay, ...goOn(UNTIL_REGISTERED + 8)]);
    play(world, [{ do: 'doom', by: 1 }, ...goOn(UNTIL_CLOSED)]);
    expect(closes(world)).toHaveLength(1);
    finish(world);
    expect(paidOver(world)).toBe(1);
  });
});
