/** Which secrethashes no payment may have any more. */
import { type Hash, type Hex, isHexOf } from '../../basics/hex.ts';
import { boundInsert } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import { spent } from '../base/schema.ts';

/** The roles of a node in a payment: the words with which the ids of its actors begin. */
const ROLES = ['initiator', 'mediator', 'target'] as const;

/** The part of a secrethash that is stored: 16 bytes. */
export const shortOf = (secrethash: Hash): Hex => `0x${secrethash.slice(-32)}`;

/** The secrethash of the payment whose actor has the id; null: it is no actor of a payment. */
export function secrethashIn(id: string): Hash | null {
  const [role, secrethash] = id.split(':');
  const isOfPayment = ROLES.some((one) => one === role);
  return isOfPayment && isHexOf(secrethash, 32) ? secrethash : null;
}

/** The function that stores a secrethash as spent, in a transaction of the caller. */
export function prepareSpend(connection: Connection) {
  const insert = boundInsert(connection, spent, ['secrethash'], { isOnce: true });
  return (secrethash: Hash): void => void insert({ secrethash: shortOf(secrethash) });
}
