/**
 * Deletes the part of the history that the operator does not want to keep: payments that ended, and logs of channels
 * that left the chain, before a given time. Nothing of it is asked for by the node itself, with one exception: a payment
 * of a secrethash that was used before is refused, so the secrethash of a deleted payment is stored as spent in the same
 * transaction, unless its part is closed, which keeps it. Logs of a channel are read again when a reorganisation takes it back (rewind.ts), which happens to live
 * channels only: those of a channel whose id is alive again stay.
 */
import { and, asc, eq, gt, inArray, lte, sql } from 'drizzle-orm';
import { bound } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import { historyKeys, payments } from '../base/history-schema.ts';
import { departures, logs } from '../base/schema.ts';
import { shareOf } from '../base/share.ts';
import type { Live } from '../tables/live.ts';
import type { StoredFeed } from './feed.ts';
import { KEYS } from './parts.ts';
import type { StoredHistory } from './stored-history.ts';

const at = sql.placeholder;

/** Milliseconds since 1970; `from`: what ended before is deleted. */
export type Keep = { from: number; now: number };

/** What the database is made of, as far as something is deleted from it. */
export type Stored = {
  connection: Connection;
  feed: StoredFeed;
  history: StoredHistory;
  live: Live;
};

/** What there is to do for one slice, in a transaction of the caller; null: nothing is old enough. */
export function prepareOldHistory({ connection, live, ...kept }: Stored) {
  const oldKeys = prepareKeys(connection, kept.history.parts);
  const oldPayments = preparePayments(connection, kept);
  const oldLogs = prepareLogs(connection, live);
  return (rows: number, keep: Keep): (() => void) | null =>
    oldKeys() ?? oldPayments(rows, keep) ?? oldLogs(rows, keep);
}

/** The function that takes payments out of the history, in a transaction of the caller, which deletes their rows. */
export function prepareLeave({ feed, history: { parts, used } }: Pick<Stored, 'feed' | 'history'>) {
  return (rows: readonly (typeof payments.$inferSelect)[]): void => {
    const closedTo = parts.closedTo();
    for (const row of rows) {
      if (row.seq > closedTo) used.spend(row.secrethash);
      feed.keep(row);
    }
    parts.removed(rows.map(({ seq }) => seq));
  };
}

/** What the oldest part's payments were found by, once none of them is left. */
function prepareKeys(connection: Connection, parts: StoredHistory['parts']) {
  const { part, kind } = historyKeys;
  const remove = bound(
    connection,
    connection.db.delete(historyKeys).where(and(eq(part, at('part')), gt(kind, KEYS.secrethash))),
  );
  return (): (() => void) | null => {
    const empty = parts.emptied();
    if (empty === null) return null;
    return () => {
      remove({ part: empty.number });
      parts.forget(empty);
    };
  };
}

function preparePayments(connection: Connection, kept: Pick<Stored, 'feed' | 'history'>) {
  const { db } = connection;
  const leave = prepareLeave(kept);
  // The newest row stays, however old: no number may come twice.
  const oldest = db
    .select()
    .from(payments)
    .where(sql`${payments.seq} < (SELECT max(seq) FROM payments)`)
    .orderBy(asc(payments.seq))
    .limit(at('rows'))
    .prepare();
  const remove = bound(connection, db.delete(payments).where(lte(payments.seq, at('last'))));
  return (rows: number, { from }: Keep): (() => void) | null => {
    const found = oldest.all({ rows: shareOf(rows, 'spent') });
    // A clock that was wrong for a while leaves rows that look newer than they are: those behind them wait.
    const newer = found.findIndex(({ time }) => time >= from);
    const old = newer < 0 ? found : found.slice(0, newer);
    const last = old.at(-1)?.seq;
    if (last === undefined) return null;
    return () => {
      leave(old);
      remove({ last });
    };
  };
}

function prepareLogs(connection: Connection, { hasActor }: Pick<Live, 'hasActor'>) {
  const { db } = connection;
  const first = db
    .select({ seq: departures.seq, channel: departures.channel, time: departures.time })
    .from(departures)
    .where(eq(departures.hasProofs, false))
    .orderBy(asc(departures.seq))
    .limit(1)
    .prepare();
  const forget = bound(connection, db.delete(departures).where(eq(departures.seq, at('seq'))));
  const rowid = sql`rowid`;
  const some = db
    .select({ rowid })
    .from(logs)
    .where(eq(logs.channel, at('channel')))
    .orderBy(asc(logs.block), asc(logs.logIndex))
    .limit(at('rows'));
  const remove = bound(connection, db.delete(logs).where(inArray(rowid, some)));

  return (rows: number, { from }: Keep): (() => void) | null => {
    const departed = first.get();
    if (departed === undefined) return null;
    const { seq, channel, time } = departed;
    if (time >= from) return null;
    return () => {
      if (hasActor(channel) || remove({ channel, rows }).changes < rows) forget({ seq });
    };
  };
}
