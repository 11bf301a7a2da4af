/** What a node finds among its stored actors at the start, and keeps in memory about them as they come and go. */
import { describe, expect, it } from 'vitest';
import type { Spawn } from '../../../machines/effects.ts';
import type { Address } from '../../../src/basics/hex.ts';
import { indexActors, indexEnd, indexSpawn } from '../../../src/node/runtime/actors/boot.ts';
import { createDirectory } from '../../../src/node/runtime/actors/directory.ts';
import { createKeeperIndex } from '../../../src/node/runtime/actors/keeper-index.ts';
import { type StoredState, stateFrom } from '../../../src/node/runtime/actors/kinds.ts';
import { createWakeUps } from '../../../src/node/runtime/actors/wake-ups.ts';
import { openChannel, withPartnersLock } from '../../support/channel-makers.ts';
import { keeper } from '../../support/keeper-makers.ts';
import { CHANNEL, CONFIRMATIONS, hashOf, NETWORK, PARTNER, TOKEN } from '../../support/makers.ts';
import {
  forInitiator,
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

/** What a node keeps in memory, and what it was told of payments, partners and states. */
function memory() {
  const told: string[] = [];
  const tell = (what: string) => (id: string) => void told.push(`${what} ${id}`);
  const index = {
    directory: createDirectory({ isSettled: () => false }),
    wakeUps: createWakeUps(),
    networks: new Map<Address, Address>(),
    keepers: createKeeperIndex(),
    payments: {
      noteSpawned: ({ input }: Extract<Spawn, { type: 'spawn.initiator' }>) =>
        tell('pays')(`${input.id} ${input.order.requestId}`),
      noteEnded: tell('paid'),
    },
    presence: { watch: tell('watches') },
    summaries: [{ note: tell('sums'), forget: tell('forgets') }],
  };
  return { index, told };
}

/** A start with these actors. */
function start(actors: Record<string, Kept>, settings = SETTINGS) {
  const { index, told } = memory();
  function* states(): Generator<[string, StoredState]> {
    for (const [id, one] of Object.entries(actors)) yield [id, stateFrom(id, one)];
  }
  return { ...indexActors({ states }, index, settings), index, told };
}

describe('a node that starts', () => {
  const { ours } = withPartnersLock();
  const lock = { channel: CHANNEL, side: 'partner', secrethash: hashOf(1) };

  it('knows its channels, and watches for their partners', () => {
    const { index, told } = start({ [CHANNEL]: ours.snapshot });
    expect(index.directory.find(TOKEN, PARTNER)).toBe(CHANNEL);
    expect(told).toContain(`watches ${PARTNER}`);
  });

  it('takes nothing else for a channel or a network', () => {
    const { index, told } = start({ [TARGET]: target().snapshot, [KEEPER]: keeper().snapshot });
    expect(index.directory.ofToken(null)).toEqual([]);
    expect([...index.networks.keys()]).toEqual([]);
    expect(told.filter((one) => one.startsWith('watches'))).toEqual([]);
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

  it('answers the caller of a payment by the attempt that goes on, not by one that is abandoned', () => {
    const { snapshot } = initiator().tell(forInitiator.lockAdded);
    expect(start({ [PAYMENT]: snapshot }).told).toContain(`pays ${PAYMENT} ${PAYMENT}`);
    const { told } = start({ [PAYMENT]: { ...snapshot, value: 'abandoned' } });
    expect(told.filter((one) => one.startsWith('pays'))).toEqual([]);
  });

  it('sums up all channels before the payments that count with them', () => {
    const { told } = start({ [TARGET]: target().snapshot, [CHANNEL]: ours.snapshot });
    expect(told.filter((one) => one.startsWith('sums'))).toEqual([
      `sums ${CHANNEL}`,
      `sums ${TARGET}`,
    ]);
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

  it('knows what it spawns', () => {
    const { index, told } = memory();
    for (const spawn of [channel, held, paying]) indexSpawn(spawn, index);
    expect(index.directory.find(TOKEN, PARTNER)).toBe(CHANNEL);
    expect(index.keepers.of(hashOf(1))).toEqual([KEEPER]);
    expect(told).toEqual([`watches ${PARTNER}`, `pays ${PAYMENT} ${PAYMENT}`]);
  });

  it('forgets what has ended', () => {
    const { index, told } = memory();
    const waiting = stateFrom(KEEPER, { value: 'owing', context: { wakeBlock: 7n } });
    const all = [channel, held, paying];
    for (const spawn of all) {
      indexSpawn(spawn, index);
      index.wakeUps.note(spawn.id, waiting);
    }
    told.length = 0;
    for (const { id } of all) indexEnd(id, index);
    expect(index.directory.find(TOKEN, PARTNER)).toBeNull();
    expect(index.keepers.of(hashOf(1))).toEqual([]);
    expect(index.wakeUps.size()).toBe(0);
    const forgotten = all.map(({ id }) => `forgets ${id}`);
    expect(told).toEqual([...forgotten, `paid ${PAYMENT}`]);
  });

  it('keeps the channel when something else ends', () => {
    const { index, told } = memory();
    indexSpawn(channel, index);
    told.length = 0;
    indexEnd(KEEPER, index);
    expect(index.directory.has(CHANNEL)).toBe(true);
    expect(told).toEqual([`forgets ${KEEPER}`]);
  });
});
