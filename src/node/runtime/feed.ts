/** What happened, for those who follow it: rows that a commit wrote, and a call when there are new ones. */
import * as v from 'valibot';
import type { Log } from '../../protocol/environment.ts';
import type { FeedRow } from '../../store/feed.ts';
import type { Feed, FeedEvent } from '../api/api.ts';
import { createNews, type News } from './news.ts';
import type { NodeParts } from './parts.ts';
import { channelLog, notification, pair, paymentFacts } from './records.ts';

export function createFeed(store: NodeParts['store'], log: Log): Feed & News {
  const { bounds, after } = store.feed;
  const news = createNews(bounds, (error) =>
    log.warn({ error: String(error) }, 'a listener of the event feed failed'),
  );
  return { bounds, after: (seq, limit) => after(seq, limit).map(eventIn), ...news };
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
