/** What the node keeps in memory about its actors: filled with the stored ones at the start, updated with every turn. */

import type { ActorSettings } from '../../../../machines/base/inputs.ts';
import type { Address, Hash } from '../../../basics/hex.ts';
import type { Happenings } from '../happenings.ts';
import type { Actors } from './actors.ts';
import { createBooks, type WrongLock } from './books.ts';
import type { Directory } from './directory.ts';
import { kindOf, type StoredState } from './kinds.ts';
import { isOutdated } from './settings-in-force.ts';
import type { WakeUps } from './wake-ups.ts';

type Index = {
  directory: Pick<Directory, 'add' | 'remove'>;
  wakeUps: Pick<WakeUps, 'note' | 'forget'>;
  /** The token of each token network. */
  networks: Map<Address, Address>;
  keepers: Pick<KeeperIndex, 'add' | 'remove'>;
};
/** What is found in the stored actors: locks without exactly one responsible actor, and actors with outdated settings. */
export type FoundActors = { wrongLocks: WrongLock[]; outdated: string[] };

/**
 * Reads every stored actor once, and tells of each: of payments after all channels, because what they claim is counted with
 * their channel. Throws when an actor cannot be read.
 */
export function indexActors(
  actors: Pick<Actors, 'states'>,
  index: Index,
  settings: ActorSettings,
  { tell }: Pick<Happenings, 'tell'>,
): FoundActors {
  const books = createBooks();
  const others: [string, StoredState][] = [];
  const outdated: string[] = [];
  for (const [id, state] of actors.states()) {
    index.wakeUps.note(id, state);
    index.keepers.add(id);
    books.note(id, state);
    if (isOutdated(state, settings)) outdated.push(id);
    if (state.kind === 'tokenNetwork' && state.context.tokenNetwork !== null)
      index.networks.set(state.context.tokenNetwork, state.context.token);
    if (state.kind !== 'channel') {
      others.push([id, state]);
      continue;
    }
    index.directory.add(id, state.context);
    tell('found', id, state);
  }
  for (const [id, state] of others) tell('found', id, state);
  return { wrongLocks: books.wrong(), outdated };
}

/** Keeps the index as actors come, change and go. */
export function keepIndex({ on }: Pick<Happenings, 'on'>, index: Index): void {
  on('changed', index.wakeUps.note);
  on('spawned', (spawn) => {
    if (spawn.type === 'spawn.channel') index.directory.add(spawn.id, spawn.input);
    index.keepers.add(spawn.id);
  });
  on('ended', (id) => {
    index.wakeUps.forget(id);
    index.keepers.remove(id);
    if (kindOf(id) === 'channel') index.directory.remove(id);
  });
}

export type KeeperIndex = ReturnType<typeof createKeeperIndex>;

/** The keepers by the secrethash of their locks: a secret concerns all of them, in whichever channel the lock is. */
export function createKeeperIndex() {
  const bySecrethash = new Map<string, Set<string>>();
  const hashOf = (id: string) => id.split(':')[1] ?? '';

  return {
    /** Adds the actor if it is a keeper. */
    add(id: string) {
      if (kindOf(id) !== 'keeper') return;
      const known = bySecrethash.get(hashOf(id));
      if (known === undefined) bySecrethash.set(hashOf(id), new Set([id]));
      else known.add(id);
    },
    remove(id: string) {
      const known = bySecrethash.get(hashOf(id));
      if (known?.delete(id) && known.size === 0) bySecrethash.delete(hashOf(id));
    },
    of: (secrethash: Hash): string[] => [...(bySecrethash.get(secrethash) ?? [])],
  };
}
