/** What a node finds among its stored actors at the start, and keeps in memory about them as they come and go. */
import { describe, expect, it } from 'vitest';
import type { Spawn } from '../../../machines/effects.ts';
import type { Address } from '../../../src/basics/hex.ts';
import {
  createKeeperIndex,
  indexActors,
  keepIndex,
} from '../../../src/node/runtime/actors/boot.ts';
import { createDirectory } from '../../../src/node/runtime/actors/directory.ts';
import { type StoredState, stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { createWakeUps } from '../../../src/node/runtime/actors/wake-ups.ts';
import { createHappenings } from '../../../src/node/runtime/happenings.ts';
import { openChannel, withPartnersLock } from '../../support/channel-makers.ts';
import { keeper } from '../../support/keeper-makers.ts';
import { CHANNEL, CONFIRMATIONS, hashOf, NETWORK, PARTNER, TOKEN } from '../../support/makers.ts';
import {
  initiator,
  NETWORK_ACTOR,
  node,
  target,
  tokenNetwork,
} from '../../support/payment-makers.ts';

type Kept = Pick<StoredState, 'value' | 'context'>;
const SETTINGS = { confirmations: CONFIRMATIONS, defaultRevealTimeout: 10n, minRevealTimeout: 1n };
const KEEPER = keeper().snapshot.context.id;
const TARGET = `target:${hashOf(1)}`;
const PAYMENT = `initiator:${hashOf(1)}`;

/** What a node keeps in memory of its actors, and what those who follow were told of them. */
function memory() {
  const told: string[] = [];
  const happenings = createHappenings();
  happenings.on('found', (id) => void told.push(id));
  const index = {
    directory: createDirectory({ isSettled: () => false }),
    wakeUps: createWakeUps(),
    networks: new Map<Address, Address>(),
    keepers: createKeeperIndex(),
  };
  keepIndex(happenings, index);
  return { index, happenings, told };
}

/** A start with these actors. */
function start(actors: Record<string, Kept>, settings = SETTINGS) {
  const { index, happenings, told } = memory();
  function* states(): Generator<[string, StoredState]> {
    for (const [id, one] of Object.entries(actors)) yield [id, stateFrom(id, one)];
  }
  return { ...indexActors({ states }, index, settings, happenings), index, told };
}

describe('a node that starts', () => {
  const { ours } = withPartnersLock();
  const lock = { channel: CHANNEL, side: 'partner', secrethash: hashOf(1) };

  it('knows its channels', () => {
    const { index } = start({ [CHANNEL]: ours.snapshot });
    expect(index.directory.find(TOKEN, PARTNER)).toBe(CHANNEL);
  });

  it('takes nothing else for a channel or a network', () => {
    const { index } = start({ [TARGET]: target().snapshot, [KEEPER]: keeper().snapshot });
    expect(index.directory.ofToken(null)).toEqual([]);
    expect([...index.networks.keys()]).toEqual([]);
  });

  it('knows the networks of its tokens, as far as they are registered', () => {
    const { snapshot } = tokenNetwork();
    expect([...start({ [NETWORK_ACTOR]: snapshot }).index.networks]).toEqual([[NETWORK, TOKEN]]);
    const registering = tokenNetwork({ tokenNetwork: null }).snapshot;
    expect(start({ [NETWORK_ACTOR]: registering }).index.networks.size).toBe(0);
  });

  it('wakes each actor at its block', () => {
    const context = { ...openChannel().snapshot.context, wakeBlock: 7n };
    const { index } = start({
      node: node().snapshot,
      [CHANNEL]: { ...openChannel().snapshot, context },
    });
    expect(index.wakeUps.size()).toBe(1);
    index.wakeUps.reach(6n);
    expect(index.wakeUps.next()).toBeNull();
    index.wakeUps.reach(7n);
    expect(index.wakeUps.next()).toBe(CHANNEL);
  });

  it('finds its keepers by the secrethash of their locks', () => {
    const { index } = start({ [KEEPER]: keeper().snapshot, [TARGET]: target().snapshot });
    expect(index.keepers.of(hashOf(1))).toContain(KEEPER);
    expect(index.keepers.of(hashOf(1))).not.toContain(TARGET);
  });

  it('tells of all channels before the payments that count with them', () => {
    const { told } = start({ [TARGET]: target().snapshot, [CHANNEL]: ours.snapshot });
    expect(told).toEqual([CHANNEL, TARGET]);
  });

  it('finds the locks for which nobody answers', () => {
    const found = (others: Record<string, Kept>) =>
      start({ [CHANNEL]: ours.snapshot, ...others }).wrongLocks;
    expect(found({})).toMatchObject([{ ...lock, answerers: [] }]);
    expect(found({ [TARGET]: target().snapshot })).toEqual([]);
  });

  it('finds the actors that use other settings than its own', () => {
    const actors = { [CHANNEL]: ours.snapshot, [TARGET]: target().snapshot };
    expect(start(actors).outdated).toEqual([]);
    expect(start(actors, { ...SETTINGS, confirmations: 5n }).outdated).toEqual([CHANNEL, TARGET]);
  });
});

describe('a node that works', () => {
  const context = openChannel().snapshot.context;
  const channel: Spawn = { type: 'spawn.channel', id: CHANNEL, input: context };
  const held: Spawn = { type: 'spawn.keeper', id: KEEPER, input: keeper().snapshot.context };
  const { own, confirmations, order } = initiator().snapshot.context;
  const paying: Spawn = {
    type: 'spawn.initiator',
    id: PAYMENT,
    input: { id: PAYMENT, own, confirmations, order },
  };

  function spawned() {
    const { index, happenings } = memory();
    for (const spawn of [channel, held, paying]) happenings.tell('spawned', spawn);
    return { index, ...happenings };
  }

  it('knows what it spawns', () => {
    const { index } = spawned();
    expect(index.directory.find(TOKEN, PARTNER)).toBe(CHANNEL);
    expect(index.keepers.of(hashOf(1))).toEqual([KEEPER]);
  });

  it('forgets what has ended', () => {
    const { index, tell } = spawned();
    tell('changed', KEEPER, stateFrom(KEEPER, { value: 'owing', context: { wakeBlock: 7n } }));
    expect(index.wakeUps.size()).toBe(1);
    for (const id of [CHANNEL, KEEPER, PAYMENT]) tell('ended', id);
    expect(index.directory.find(TOKEN, PARTNER)).toBeNull();
    expect(index.keepers.of(hashOf(1))).toEqual([]);
    expect(index.wakeUps.size()).toBe(0);
  });

  it('keeps the channel when something else ends', () => {
    const { index, tell } = spawned();
    tell('ended', KEEPER);
    expect(index.directory.has(CHANNEL)).toBe(true);
  });
});
