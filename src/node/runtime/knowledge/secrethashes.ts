/** Which secrethashes this node has used or seen: none of them may be used for a second payment. */

import type { TargetInput } from '../../../../machines/base/inputs.ts';
import type { Spawn } from '../../../../machines/effects.ts';
import type { ChainLog } from '../../../../machines/events/chain.ts';
import { type Hash, isHexOf } from '../../../basics/hex.ts';
import type { Batch } from '../../../store/base/batch.ts';
import type { Store } from '../../../store/store.ts';
import { registeredId } from '../../../store/tables/secrets.ts';
import type { Actors } from '../actors/actors.ts';

export type UsedSecrets = Pick<Store, 'isSecrethashUsed' | 'hasEnded'>;

/**
 * What the disk knows, and what it will know once the open batch is written: a payment that ended a moment ago counts
 * as ended just like one of last year.
 */
export function withOpen(
  store: UsedSecrets,
  { ended, retired, payments }: Pick<Batch, 'ended' | 'retired' | 'payments'>,
): UsedSecrets {
  const hasEndedNow = (id: string) => retired.includes(id) || ended.includes(id);
  return {
    hasEnded: (id) => hasEndedNow(id) || store.hasEnded(id),
    isSecrethashUsed: (secrethash) =>
      payments.some((payment) => payment.secrethash === secrethash) ||
      actorsOf(secrethash).some(hasEndedNow) ||
      store.isSecrethashUsed(secrethash),
  };
}

/** The roles of a node in a payment, as the words with which the ids of their actors begin. */
const ROLES = ['initiator', 'mediator', 'target'] as const;

/** The actors that may live for a payment with this secrethash. */
export const actorsOf = (secrethash: Hash): string[] =>
  ROLES.map((role) => `${role}:${secrethash}`);

/** Whether the log of the secret's registration was seen. */
const isPublic = (store: UsedSecrets, secrethash: string): boolean =>
  store.hasEnded(registeredId(secrethash));

/**
 * Whether a payment with this secrethash is or was on its way through this node, or its secret is public. `known`:
 * including what is not written yet, see `withOpen`.
 */
export function isSecretUsed(
  actors: Pick<Actors, 'has'>,
  known: UsedSecrets,
  secrethash: Hash,
): boolean {
  const isAlive = actorsOf(secrethash).some(actors.has);
  return isAlive || isPublic(known, secrethash) || known.isSecrethashUsed(secrethash);
}

/**
 * Records that a secret is public. Its log comes only once: if a later transfer with it were mediated, the payee could
 * claim it from this node, whose mediator would never learn the secret.
 */
export function noteRegistered(batch: Batch, log: ChainLog): void {
  if (log.type !== 'chain.secretRevealed') return;
  const { secrethash, at } = log;
  batch.ended.push(registeredId(secrethash));
  batch.registered.push({ secrethash, block: at.block });
}

/**
 * Whether the actor may not be spawned because it lived and ended (for a payment: any actor of its secrethash,
 * whichever role this node had), or because it would mediate a transfer whose secret is public. `store`: including what
 * is not written yet, see `withOpen`.
 */
export function hasEnded(store: UsedSecrets, id: string): boolean {
  const [role, secrethash] = id.split(':');
  if (!isHexOf(secrethash, 32)) return store.hasEnded(id);
  const isKnownToAll = role === 'mediator' && isPublic(store, secrethash);
  return isKnownToAll || store.isSecrethashUsed(secrethash);
}

/**
 * A secrethash allows one role in one payment: a second transfer with it, however it arrives, gets a keeper instead.
 * Only transfers of others can repeat a secrethash: the node's own secrets are checked when they are drawn. A payment to
 * oneself has two roles here: its own transfer may come back, once.
 */
export function isTaken(
  spawn: Spawn,
  actors: Pick<Actors, 'has' | 'stateOf'>,
  known: UsedSecrets,
): boolean {
  if (spawn.type !== 'spawn.target' && spawn.type !== 'spawn.mediator') return false;
  const alive = actorsOf(spawn.input.secrethash).filter(actors.has);
  const sender = spawn.type === 'spawn.target' ? senderOf(spawn.input, actors) : null;
  return alive.some((id) => id !== sender) || hasEnded(known, spawn.id);
}

/**
 * The initiator of the payment to oneself that comes back here; null: it is none, or it comes by the channel in which its own
 * lock is pending: who shows the secret would claim both.
 */
function senderOf(
  { secrethash, channel, paymentId, token, own }: TargetInput,
  { stateOf }: Pick<Actors, 'stateOf'>,
): string | null {
  const id = `initiator:${secrethash}`;
  const payment = stateOf(id);
  if (payment?.kind !== 'initiator') return null;
  const { order } = payment.context;
  const isSame = order.paymentId === paymentId && order.token === token;
  return isSame && order.target === own && order.channel !== channel ? id : null;
}
