/** Which secrethashes no payment may have any more. */
import { and, asc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import { type Hash, type Hex, isHexOf } from '../protocol/hex.ts';
import { bound } from './bound.ts';
import { unhex } from './columns.ts';
import type { Connection } from './connection.ts';
import { ended, spent } from './schema.ts';
import { shareOf } from './share.ts';

const at = sql.placeholder;

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
  const insert = bound(
    connection,
    connection.db
      .insert(spent)
      .values({ secrethash: unhex('short', spent.secrethash) })
      .onConflictDoNothing(),
  );
  return (secrethash: Hash): void => {
    insert({ short: shortOf(secrethash) });
  };
}

/**
 * Moves the ids of payments that an older version stored as text, 165 bytes each, from `ended` to `spent`. A process
 * that dies in between finds each in one of the two, and both are asked.
 */
export function prepareMoveEnded(connection: Connection) {
  const { db } = connection;
  const spend = prepareSpend(connection);
  const ofRole = and(gte(ended.id, at('from')), lt(ended.id, at('to')));
  // Only of those that have 32 bytes can the secrethash be told.
  const some = db
    .select({ id: ended.id })
    .from(ended)
    .where(and(ofRole, eq(sql`length(${ended.id})`, at('length'))))
    .orderBy(asc(ended.id))
    .limit(at('rows'));
  const oldest = some.prepare();
  const remove = bound(connection, db.delete(ended).where(inArray(ended.id, some)));
  const rangeOf = (role: string) => {
    return { from: `${role}:0x`, to: `${role}:0y`, length: `${role}:0x`.length + 64 };
  };
  const left = ROLES.filter((role) => oldest.get({ ...rangeOf(role), rows: 1 }) !== undefined);

  return {
    isAnyLeft: (): boolean => left.length > 0,
    /** Moves what is as much work as to delete `most` rows, in a transaction of the caller. */
    move(most: number): void {
      const rows = shareOf(most, 'spent');
      const [role] = left;
      if (role === undefined) return;
      const range = { ...rangeOf(role), rows };
      const found = oldest.all(range);
      remove(range);
      for (const { id } of found) {
        const secrethash = secrethashIn(id);
        if (secrethash !== null) spend(secrethash);
      }
      if (found.length < rows) left.shift();
    },
  };
}
