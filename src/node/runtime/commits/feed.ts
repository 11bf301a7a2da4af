/** The event feed: rows that commits wrote about what happened, and a call to the listeners when there are new ones. */
import * as v from 'valibot';
import type { Log } from '../../../basics/environment.ts';
import type { Address } from '../../../basics/hex.ts';
import type { ChannelLog } from '../../../contracts/channel-events.ts';
import { channelLog } from '../../../contracts/channel-events.ts';
import type { FeedRow } from '../../../store/history/feed.ts';
import type { NodeParts } from '../parts.ts';
import { createNews, type News } from './news.ts';
import type { Notification, PaymentRecord } from './records.ts';
import { notification, pair, paymentFacts } from './records.ts';

/** `settle`: returns when everything that is written is on disk. */
export function createFeed(store: NodeParts['store'], settle: () => void, log: Log): Feed & News {
  const { bounds, after } = settledReads(store.feed, settle);
  const news = createNews(store.feed.bounds, (error) =>
    log.warn({ error: String(error) }, 'a listener of the event feed failed'),
  );
  return { bounds, after: (seq, limit) => after(seq, limit).map(eventIn), ...news };
}

/** The rows of a growing table: nobody may read what a power cut could still undo. */
type Reads<Bounds, Row> = { bounds(): Bounds; after(seq: number, limit: number): Row[] };

/** The same reads, each after `settle`, which returns when everything that is written is on disk. */
export function settledReads<Bounds, Row>(
  { bounds, after }: Reads<Bounds, Row>,
  settle: () => void,
): Reads<Bounds, Row> {
  return {
    bounds() {
      settle();
      return bounds();
    },
    after(seq, limit) {
      settle();
      return after(seq, limit);
    },
  };
}

/** Throws when the row is not what this program writes. */
function eventIn({ seq, time, kind, body }: FeedRow): FeedEvent {
  switch (kind) {
    case 'payment':
      return { seq, time, type: 'payment', record: { ...v.parse(paymentFacts, body), time } };
    case 'channel': {
      const { token, partner, log } = v.parse(ofChannel, body);
      return { seq, time, type: 'channel', token, partner, log };
    }
    case 'notification':
      return { seq, time, type: 'notification', notification: v.parse(notification, body) };
  }
}

const ofChannel = v.object({ ...pair.entries, log: channelLog });

/** `seq` grows with every event and is never used again; `time` is milliseconds since 1970. */
export type FeedEvent = { seq: number; time: number } & (
  | { type: 'payment'; record: PaymentRecord }
  | { type: 'channel'; token: Address; partner: Address; log: ChannelLog }
  | { type: 'notification'; notification: Notification }
);

/** Everything that happened, in order, from the database. Its length is limited: the oldest events are dropped. */
export type Feed = {
  /** The numbers of the newest event (0 before the first) and of the oldest that is kept (newest + 1: none is). */
  bounds(): { oldest: number; newest: number };
  /** The events after `seq`, oldest first. */
  after(seq: number, limit: number): FeedEvent[];
  /** Calls `listener` after each commit that added events, until the returned function is called. */
  onNew(listener: () => void): () => void;
};
