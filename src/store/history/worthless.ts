/**
 * Deletes received payments in tokens that are no money to this node, once they are old and many, also where all of the
 * history is kept: anybody can make a token and pay with it as often as its channels allow, and each payment would leave a row for ever.
 * Of each only the secrethash stays, as of every payment: it is stored as spent in the same transaction.
 */
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Address } from '../../basics/hex.ts';
import { bound } from '../base/bound.ts';
import { unhex } from '../base/columns.ts';
import type { Connection } from '../base/connection.ts';
import { historyKeys, payments } from '../base/history-schema.ts';
import { shareOf } from '../base/share.ts';
import { prepareLeave, type Stored } from './old-history.ts';
import { KEYS } from './parts.ts';
import { RECEIVED } from './payment-row.ts';

const at = sql.placeholder;

/**
 * `from`: what came before may be deleted, in milliseconds since 1970; `newest`: so many of the newest numbers stay, of whatever token, so
 * that who is only ever paid keeps its history; `isMoney`: whether the token means anything here.
 */
export type Worthless = { from: number; newest: number; isMoney(token: Address): boolean };

/** Rows that are looked at for one slice. */
const MOST_LOOKED_AT = 256;

export function prepareOldWorthless({ connection, ...kept }: Omit<Stored, 'live'>) {
  const { db } = connection;
  const leave = prepareLeave(kept);
  // The newest row stays, however old: no number may come twice.
  const next = db
    .select()
    .from(payments)
    .where(
      and(
        gt(payments.seq, at('after')),
        sql`${payments.seq} < (SELECT max(seq) - ${at('newest')} FROM payments)`,
      ),
    )
    .orderBy(asc(payments.seq))
    .limit(MOST_LOOKED_AT)
    .prepare();
  const remove = bound(connection, db.delete(payments).where(eq(payments.seq, at('seq'))));
  const removeKeys = prepareRemoveKeys(connection);
  const { parts } = kept.history;
  /** Up to this row all are looked through; after a start they are so again. */
  let looked = 0;
  let isBehind = false;

  return {
    /** What there is to do for one slice, in a transaction of the caller; null: nothing among the next rows. */
    next(rows: number, { from, newest, isMoney }: Worthless): (() => void) | null {
      const found = next.all({ after: looked, newest });
      const newer = found.findIndex(({ time }) => time >= from);
      const old = newer < 0 ? found : found.slice(0, newer);
      isBehind = old.length === MOST_LOOKED_AT;
      const all = old.filter(({ event, token }) => event === RECEIVED && !isMoney(token));
      const some = all.slice(0, shareOf(rows, 'spent'));
      if (some.length === 0) {
        looked = old.at(-1)?.seq ?? looked;
        return null;
      }
      // The next look begins at the same row: a slice that fails is found again.
      return () => {
        leave(some);
        for (const row of some) {
          remove({ seq: row.seq });
          const part = parts.partOf(row.seq);
          if (part !== null) removeKeys({ ...row, part });
        }
      };
    },
    /** Whether the last look has not come to the end. */
    isBehind: () => isBehind,
  };
}

/** The function that deletes by what a payment of a closed part is found, but for its secrethash. */
function prepareRemoveKeys(connection: Connection) {
  const { part, kind, key, seq } = historyKeys;
  const keys = [
    { of: KEYS.paymentId, value: unhex('paymentId', payments.paymentId) },
    { of: KEYS.partner, value: unhex('partner', payments.partner) },
    { of: KEYS.channel, value: sql`${at('channel')}` },
  ];
  const removes = keys.map(({ of, value }) => {
    const isKey = and(eq(part, at('part')), eq(kind, of), sql`${key} = ${value}`);
    return bound(
      connection,
      connection.db.delete(historyKeys).where(and(isKey, eq(seq, at('seq')))),
    );
  });
  return (row: typeof payments.$inferSelect & { part: number }): void => {
    for (const run of removes) run(row);
  };
}
