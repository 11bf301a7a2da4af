/** Which secrethashes this node has had to do with: none of them may carry a second payment. */

import type { Spawn } from '../../../machines/effects.ts';
import type { ChainLog } from '../../../machines/events/chain.ts';
import { type Hash, isHexOf } from '../../protocol/hex.ts';
import type { Batch } from '../../store/batch.ts';
import type { Store } from '../../store/open.ts';
import { registeredId } from '../../store/secrets.ts';
import type { Actors } from './actors.ts';

export type Known = Pick<Store, 'isSecrethashUsed' | 'hasEnded'>;

/**
 * What the disk knows, and what it will know once the open batch is written: a payment that ended a moment
 * ago is as much over as one of last year.
 */
export function withOpen(
  store: Known,
  { ended, retired, payments }: Pick<Batch, 'ended' | 'retired' | 'payments'>,
): Known {
  const hasEndedNow = (id: string) => retired.includes(id) || ended.includes(id);
  return {
    hasEnded: (id) => hasEndedNow(id) || store.hasEnded(id),
    isSecrethashUsed: (secrethash) =>
      payments.some((payment) => payment.secrethash === secrethash) ||
      actorsOf(secrethash).some(hasEndedNow) ||
      store.isSecrethashUsed(secrethash),
  };
}

/** The parts that a node can have in a payment: the words that the ids of their actors begin with. */
const ROLES = ['initiator', 'mediator', 'target'] as const;

/** The actors that may live for a payment with this secrethash. */
export const actorsOf = (secrethash: Hash): string[] =>
  ROLES.map((role) => `${role}:${secrethash}`);

/** Whether the log of the secret's registration was seen. */
const isPublic = (store: Known, secrethash: string): boolean =>
  store.hasEnded(registeredId(secrethash));

/**
 * Whether a payment with this secrethash is on its way through this node, or was, or everybody knows its
 * secret. `known`: with what is not written yet, see `withOpen`.
 */
export function isSecretUsed(actors: Pick<Actors, 'has'>, known: Known, secrethash: Hash): boolean {
  const isAlive = actorsOf(secrethash).some(actors.has);
  return isAlive || isPublic(known, secrethash) || known.isSecrethashUsed(secrethash);
}

/**
 * Keeps in mind that a secret is public. Its log comes once: a transfer that came later could be claimed
 * from the mediator that passes it on, who would never learn the secret.
 */
export function noteRegistered(batch: Batch, log: ChainLog): void {
  if (log.type !== 'chain.secretRevealed') return;
  const { secrethash, at } = log;
  batch.ended.push(registeredId(secrethash));
  batch.registered.push({ secrethash, block: at.block });
}

/**
 * Whether the actor may not be spawned: it lived and ended (a payment by its secrethash, whichever part this
 * node had in it), or it would pass on a transfer whose secret is public. `store`: with what is not written
 * yet, see `withOpen`.
 */
export function hasEnded(store: Known, id: string): boolean {
  const [role, secrethash] = id.split(':');
  if (!isHexOf(secrethash, 32)) return store.hasEnded(id);
  const isKnownToAll = role === 'mediator' && isPublic(store, secrethash);
  return isKnownToAll || store.isSecrethashUsed(secrethash);
}

/**
 * One secrethash, one part in one payment: what comes again, by whichever way, gets a keeper instead. Only
 * others can come with something that was there before: own secrets are checked when they are drawn.
 */
export function isTaken(spawn: Spawn, actors: Pick<Actors, 'has'>, known: Known): boolean {
  if (spawn.type !== 'spawn.target' && spawn.type !== 'spawn.mediator') return false;
  return actorsOf(spawn.input.secrethash).some(actors.has) || hasEnded(known, spawn.id);
}
