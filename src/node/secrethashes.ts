/** Which secrethashes this node has had to do with: none of them may carry a second payment. */
import type { ChainLog } from '../../machines/events.ts';
import { type Hash, isHexOf } from '../protocol/hex.ts';
import type { Batch } from '../store/batch.ts';
import type { Store } from '../store/open.ts';
import type { Actors } from './actors.ts';

type Known = Pick<Store, 'isSecrethashUsed' | 'hasEnded'>;

/** The parts that a node can have in a payment: the words that the ids of their actors begin with. */
export const ROLES = ['initiator', 'mediator', 'target'] as const;

/** The actors that may live for a payment with this secrethash. */
export const actorsOf = (secrethash: Hash): string[] =>
  ROLES.map((role) => `${role}:${secrethash}`);

/** Whether a payment with this secrethash is on its way through this node, or was. */
export function isSecretUsed(actors: Actors, store: Known, secrethash: Hash): boolean {
  return actorsOf(secrethash).some(actors.has) || store.isSecrethashUsed(secrethash);
}

const registeredId = (secrethash: string) => `registered:${secrethash}`;

/**
 * Keeps in mind that a secret is public. Its log comes once: a transfer that came later could be claimed
 * from the mediator that passes it on, who would never learn the secret.
 */
export function noteRegistered(batch: Batch, log: ChainLog): void {
  if (log.type === 'chain.secretRevealed') batch.ended.push(registeredId(log.secrethash));
}

/**
 * Whether the actor may not be born: it lived and ended (a payment by its secrethash, whichever part this
 * node had in it), or it would pass on a transfer whose secret is public.
 */
export function hasEnded(store: Known, id: string): boolean {
  const [role, secrethash] = id.split(':');
  if (!isHexOf(secrethash, 32)) return store.hasEnded(id);
  const isPublic = role === 'mediator' && store.hasEnded(registeredId(secrethash));
  return isPublic || store.isSecrethashUsed(secrethash);
}
