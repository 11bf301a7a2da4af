/**
 * Received payments that were redeemed. None can be redeemed twice: there is one row for each until `redeemableFrom` is
 * above the time at which the payment was received, and that only grows. So no clock that goes back makes a payment of
 * which the row was deleted good again.
 */
import { asc, eq, lt, lte, max, sql } from 'drizzle-orm';
import type { Hash } from '../../basics/hex.ts';
import type { RedemptionRow } from '../base/batch.ts';
import { bound, boundNumber, boundUpsert } from '../base/bound.ts';
import { type ClosedIndex, createClosedIndex } from '../base/closed-index.ts';
import type { Connection } from '../base/connection.ts';
import { payments } from '../base/history-schema.ts';
import type { Meta } from '../base/meta.ts';
import { redemptions } from '../base/schema.ts';
import { shareOf } from '../base/share.ts';

export type Redemption = { request: string; paymentId: bigint };
export type StoredRedemptions = ReturnType<typeof prepareRedemptions>;

const at = sql.placeholder;

/** By what redemptions are found. */
export const openRedemptionIndex = (connection: Connection): ClosedIndex =>
  createClosedIndex(connection, {
    table: 'redemptions',
    column: 'secrethash',
    keys: 'redemption_keys',
  });

export function prepareRedemptions(connection: Connection, meta: Meta, index: ClosedIndex) {
  const { db } = connection;
  const { secrethash, request, paymentId } = redemptions;
  const one = db
    .select({ secrethash, request, paymentId })
    .from(redemptions)
    .where(eq(redemptions.seq, at('seq')))
    .prepare();
  const newest = db
    .select({ time: max(payments.time) })
    .from(payments)
    .prepare();
  const upsert = boundUpsert(
    connection,
    redemptions,
    ['seq'],
    ['secrethash', 'paymentId', 'request', 'received', 'time'],
  );
  const remove = bound(connection, db.delete(redemptions).where(eq(redemptions.seq, at('seq'))));

  function find(of: Hash): (Redemption & { seq: number }) | null {
    for (const seq of index.find(of)) {
      const row = one.get({ seq });
      if (row?.secrethash === of) return { seq, request: row.request, paymentId: row.paymentId };
    }
    return null;
  }

  return {
    /** Null: the payment was not redeemed, or that was forgotten since (see `redeemableFrom`). */
    findRedemption(of: Hash): Redemption | null {
      const found = find(of);
      return found && { request: found.request, paymentId: found.paymentId };
    },
    /** Payments that were received before this time, in milliseconds since 1970, can be redeemed no more. */
    redeemableFrom: (): number => redeemableFrom(meta),
    /** Writes a redemption, or takes it back, inside a transaction of the caller. */
    putRedemption({ request, ...row }: RedemptionRow, time: number): void {
      const known = find(row.secrethash)?.seq ?? null;
      if (request !== null)
        upsert({ seq: known ?? index.add(row.secrethash), ...row, request, time });
      else if (known !== null) remove({ seq: known });
    },
    /** No payment that the database knows can be redeemed any more; inside a transaction of the caller. */
    endRedeeming: (): void => raise(meta, (newest.get()?.time ?? -1) + 1),
  };
}

const redeemableFrom = (meta: Meta): number => Number(meta.get('redeemableFrom') ?? '0');

function raise(meta: Meta, from: number): void {
  if (from > redeemableFrom(meta)) meta.set('redeemableFrom', from.toString());
}

/**
 * What there is to do for one slice, in a transaction of the caller: redemptions of payments that were received before a
 * time are deleted; null: there is none.
 */
export function prepareOldRedemptions(connection: Connection, meta: Meta, index: ClosedIndex) {
  const { db } = connection;
  const oldest = db
    .select({ received: redemptions.received })
    .from(redemptions)
    .where(lt(redemptions.received, at('before')))
    .orderBy(asc(redemptions.received))
    .limit(at('rows'))
    .prepare();
  const remove = bound(
    connection,
    db.delete(redemptions).where(lte(redemptions.received, at('last'))),
  );
  const left = boundNumber(
    connection,
    db.select({ seq: redemptions.seq }).from(redemptions).orderBy(asc(redemptions.seq)).limit(1),
  );
  return (rows: number, before: number): (() => void) | null => {
    const last = oldest.all({ before, rows: shareOf(rows, 'call') }).at(-1)?.received;
    if (last === undefined) return null;
    return () => {
      raise(meta, last + 1);
      remove({ last });
      index.dropBefore(left({}) ?? Number.POSITIVE_INFINITY);
    };
  };
}
