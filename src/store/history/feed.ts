/**
 * The feed: everything that happened, in order, for those who follow it. What it says of a payment is the payment's row in
 * the history; each other row is written together with the fact that it reports, so that a fact is never stored without its
 * row, nor a row without its fact.
 */
import { and, asc, eq, gt, gte, lt, max, min, sql } from 'drizzle-orm';
import type { Batch, NotificationRow } from '../base/batch.ts';
import { bound, boundInsert } from '../base/bound.ts';
import { decode, encode } from '../base/codec.ts';
import type { Connection } from '../base/connection.ts';
import { feed, payments } from '../base/history-schema.ts';
import { channels } from '../base/schema.ts';
import { entryOf } from './payment-row.ts';
import { openWindow } from './window.ts';

type Kind = (typeof feed.$inferSelect)['kind'];
/** `body` is decoded, its reader checks the shape; `time` is milliseconds since 1970. */
export type FeedRow = { seq: number; time: number; kind: Kind; body: unknown };
export type StoredFeed = ReturnType<typeof prepareFeed>;

/** `limit`: how many of the newest rows are kept. */
export function prepareFeed(connection: Connection, limit: number) {
  const { db } = connection;
  const at = sql.placeholder;
  const remove = bound(connection, db.delete(feed).where(lt(feed.seq, at('seq'))));
  const window = openWindow({
    ...endsOf(connection),
    limit,
    prune: (seq) => void remove({ seq }),
  });
  const insert = boundInsert(connection, feed, ['seq', 'kind', 'body', 'time']);
  const newer = db
    .select()
    .from(feed)
    .where(gt(feed.seq, at('seq')))
    .orderBy(asc(feed.seq))
    .limit(at('limit'))
    .prepare();
  const paid = db
    .select()
    .from(payments)
    .where(and(gt(payments.seq, at('seq')), gte(payments.seq, at('oldest'))))
    .orderBy(asc(payments.seq))
    .limit(at('limit'))
    .prepare();
  const pairOf = db
    .select({ token: channels.token, partner: channels.partner })
    .from(channels)
    .where(eq(channels.id, at('id')))
    .prepare();
  const put = (kind: Kind, body: unknown, time: number) =>
    insert({ seq: window.take(), kind, body: encode(body), time });

  return {
    /** Adds a log of this channel to the feed; the row of the channel itself was written before. */
    log({ channel, log }: Batch['logs'][number], time: number): void {
      const pair = pairOf.get({ id: channel });
      if (pair !== undefined) put('channel', { ...pair, log }, time);
    },
    notification: ({ id, summary, body, urgency }: NotificationRow, time: number) =>
      put('notification', { id, summary, body, urgency }, time),
    /** The number of the next payment. */
    takeNumber: (): number => window.take(),
    /** To be called before a payment is deleted from the history: the feed keeps what it says of it as long as it would. */
    keep(row: typeof payments.$inferSelect): void {
      const { seq } = row;
      if (seq < window.bounds().oldest) return;
      const { time, ...body } = entryOf(row);
      insert({ seq, kind: 'payment', body: encode(body), time });
    },
    /** To be called after a commit's last row. */
    cut: (added: number): void => window.cut(added),
    /** The oldest and the newest number in the feed; without any row, newest + 1 and newest. */
    bounds: window.bounds,
    mark: window.mark,
    /** The rows after `seq`, oldest first, `limit` of them at most. */
    after(seq: number, limit: number): FeedRow[] {
      const { oldest } = window.bounds();
      // Rows that count no more may not be cut off yet.
      const others = newer
        .all({ seq: Math.max(seq, oldest - 1), limit })
        .map(({ body, ...row }): FeedRow => ({ ...row, body: decode(body) }));
      const ofPayments = paid.all({ seq, limit, oldest }).map((row): FeedRow => {
        const { time, ...body } = entryOf(row);
        return { seq: row.seq, kind: 'payment', body, time };
      });
      return [...others, ...ofPayments].sort((a, b) => a.seq - b.seq).slice(0, limit);
    },
  };
}

/** The oldest row that may have to be cut off, and the newest number. */
function endsOf({ db }: Connection): { first: number; newest: number } {
  const rows = db
    .select({ first: min(feed.seq) })
    .from(feed)
    .get();
  const newest = db
    .select({ seq: max(feed.seq) })
    .from(feed)
    .get();
  const paid = db
    .select({ seq: max(payments.seq) })
    .from(payments)
    .get();
  const last = Math.max(newest?.seq ?? 0, paid?.seq ?? 0);
  return { first: rows?.first ?? last + 1, newest: last };
}
