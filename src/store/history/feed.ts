/**
 * The feed: everything that happened, in order, for those who follow it. Each row is written together with the fact
 * that it reports, so that a fact is never stored without its row, nor a row without its fact.
 */
import { asc, eq, gt, sql } from 'drizzle-orm';
import type { RecordPayment } from '../../../machines/effects.ts';
import type { Batch, NotificationRow } from '../base/batch.ts';
import { boundInsert } from '../base/bound.ts';
import { decode, encode } from '../base/codec.ts';
import type { Connection } from '../base/connection.ts';
import { channels, feed } from '../base/schema.ts';
import { factsOf } from './history.ts';
import { openWindow } from './window.ts';

type Kind = (typeof feed.$inferSelect)['kind'];
/** `body` is decoded, its reader checks the shape; `time` is milliseconds since 1970. */
export type FeedRow = { seq: number; time: number; kind: Kind; body: unknown };
export type StoredFeed = ReturnType<typeof prepareFeed>;

/** `limit`: how many of the newest rows are kept. */
export function prepareFeed(connection: Connection, limit: number) {
  const { db } = connection;
  const window = openWindow(connection, feed, limit);
  const at = sql.placeholder;
  const insert = boundInsert(connection, feed, ['seq', 'kind', 'body', 'time']);
  const newer = db
    .select()
    .from(feed)
    .where(gt(feed.seq, at('seq')))
    .orderBy(asc(feed.seq))
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
    payment: (payment: RecordPayment, time: number) => put('payment', factsOf(payment), time),
    notification: ({ id, summary, body, urgency }: NotificationRow, time: number) =>
      put('notification', { id, summary, body, urgency }, time),
    /** To be called after a commit's last row. */
    cut: (added: number): void => window.cut(added),
    /** The oldest and the newest number in the table; without any row, newest + 1 and newest. */
    bounds: window.bounds,
    mark: window.mark,
    /** The rows after `seq`, oldest first, `limit` of them at most. */
    after: (seq: number, limit: number): FeedRow[] =>
      newer.all({ seq, limit }).map(({ body, ...row }) => ({ ...row, body: decode(body) })),
  };
}
