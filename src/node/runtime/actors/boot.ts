/** What the node keeps in memory about the stored actors: filled at the start, updated with every turn. */

import type { ActorSettings, ChannelInput } from '../../../../machines/base/inputs.ts';
import type { Spawn } from '../../../../machines/effects.ts';
import { initiatorTags } from '../../../../machines/tags.ts';
import type { Address } from '../../../basics/hex.ts';
import type { Actors } from './actors.ts';
import { createBooks, type WrongLock } from './books.ts';
import type { Directory } from './directory.ts';
import type { KeeperIndex } from './keeper-index.ts';
import { kindOf, type StoredState } from './kinds.ts';
import { isOutdated } from './settings-in-force.ts';
import type { WakeUps } from './wake-ups.ts';

export type Index = {
  directory: Directory;
  wakeUps: WakeUps;
  /** The token of each token network. */
  networks: Map<Address, Address>;
  payments: {
    noteSpawned(spawn: Extract<Spawn, { type: 'spawn.initiator' }>): void;
    noteEnded(id: string): void;
  };
  presence: { watch(partner: Address): void };
  keepers: KeeperIndex;
  /** What is counted over all actors, as they change. */
  summaries: readonly { note(id: string, state: StoredState): void; forget(id: string): void }[];
};

/**
 * Reads every stored actor once. Answers the locks without exactly one responsible actor, and the actors that still use
 * other settings than the current ones. Throws when an actor cannot be read.
 */
export function indexActors(
  actors: Pick<Actors, 'states'>,
  index: Index,
  settings: ActorSettings,
): { wrongLocks: WrongLock[]; outdated: string[] } {
  const books = createBooks();
  const sum = (id: string, state: StoredState) => {
    for (const one of index.summaries) one.note(id, state);
  };
  const others: [string, StoredState][] = [];
  const outdated: string[] = [];
  for (const [id, state] of actors.states()) {
    index.wakeUps.note(id, state);
    index.keepers.add(id);
    books.note(id, state);
    // Payments are noted after all channels, because what they claim is counted with their channel.
    if (state.kind === 'channel') sum(id, state);
    else others.push([id, state]);
    if (isOutdated(state, settings)) outdated.push(id);
    if (state.kind === 'channel') noteChannel(index, id, state.context);
    if (state.kind === 'tokenNetwork' && state.context.tokenNetwork !== null)
      index.networks.set(state.context.tokenNetwork, state.context.token);
    // A payment may have two attempts: the abandoned one answers no caller.
    if (state.kind === 'initiator' && !initiatorTags(state.value).has('answersNobody')) {
      const { own, confirmations, order } = state.context;
      const input = { id, own, confirmations, order };
      index.payments.noteSpawned({ type: 'spawn.initiator', id, input });
    }
  }
  for (const [id, state] of others) sum(id, state);
  return { wrongLocks: books.wrong(), outdated };
}

function noteChannel(index: Index, id: string, channel: ChannelInput) {
  index.directory.add(id, channel);
  index.presence.watch(channel.partner);
}

/** Called when an actor is spawned in this turn. */
export function indexSpawn(spawn: Spawn, index: Index): void {
  if (spawn.type === 'spawn.channel') noteChannel(index, spawn.id, spawn.input);
  if (spawn.type === 'spawn.initiator') index.payments.noteSpawned(spawn);
  index.keepers.add(spawn.id);
}

/** Called when an actor ended in this turn. */
export function indexEnd(id: string, index: Index): void {
  index.wakeUps.forget(id);
  index.keepers.remove(id);
  for (const one of index.summaries) one.forget(id);
  if (kindOf(id) === 'channel') index.directory.remove(id);
  if (kindOf(id) === 'initiator') index.payments.noteEnded(id);
}
