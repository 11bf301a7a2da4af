/**
 * Deletes the part of the history that the operator does not want to keep: payments that ended, and logs of channels
 * that left the chain, before a given time. Nothing of it is asked for by the node itself, with one exception: a payment
 * of a secrethash that was used before is refused, so the secrethash of a deleted payment is stored as spent in the same
 * transaction. Logs of a channel are read again when a reorganisation takes it back (rewind.ts), which happens to live
 * channels only: those of a channel whose id is alive again stay.
 */
import { asc, eq, inArray, lte, sql } from 'drizzle-orm';
import { bound, boundQuestion } from '../base/bound.ts';
import type { Connection } from '../base/connection.ts';
import { actors, departures, logs, payments } from '../base/schema.ts';
import { shareOf } from '../base/share.ts';
import { prepareSpend } from '../tables/spent.ts';

const at = sql.placeholder;

/** Milliseconds since 1970; `from`: what ended before is deleted. */
export type Keep = { from: number; now: number };

/** What there is to do for one slice, in a transaction of the caller; null: nothing is old enough. */
export function prepareOldHistory(connection: Connection) {
  const oldPayments = preparePayments(connection);
  const oldLogs = prepareLogs(connection);
  return (rows: number, keep: Keep): (() => void) | null =>
    oldPayments(rows, keep) ?? oldLogs(rows, keep);
}

function preparePayments(connection: Connection) {
  const { db } = connection;
  const spend = prepareSpend(connection);
  // The newest row stays, however old: no number may come twice.
  const oldest = db
    .select({ seq: payments.seq, time: payments.time, secrethash: payments.secrethash })
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
      for (const { secrethash } of old) spend(secrethash);
      remove({ last });
    };
  };
}

function prepareLogs(connection: Connection) {
  const { db } = connection;
  const first = db
    .select({ seq: departures.seq, channel: departures.channel, time: departures.time })
    .from(departures)
    .where(eq(departures.hasProofs, false))
    .orderBy(asc(departures.seq))
    .limit(1)
    .prepare();
  const forget = bound(connection, db.delete(departures).where(eq(departures.seq, at('seq'))));
  const lives = boundQuestion(
    connection,
    db
      .select({ id: actors.id })
      .from(actors)
      .where(eq(actors.id, at('channel'))),
  );
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
      if (lives({ channel }) || remove({ channel, rows }).changes < rows) forget({ seq });
    };
  };
}
