/** What happened, for those who follow it: rows that a commit wrote, and a call when there are new ones. */
import * as v from 'valibot';
import type { FeedRow } from '../store/feed.ts';
import type { Feed, FeedEvent } from './api.ts';
import type { Log, NodeParts } from './parts.ts';
import { channelLog, notification, pair, paymentFacts } from './records.ts';

/** `announce`: call it when a batch was committed and performed. */
export type FeedSource = Feed & { announce(): void };

export function createFeed(store: NodeParts['store'], log: Log): FeedSource {
  const listeners = new Set<() => void>();
  const { bounds, after } = store.feed;
  let announced = bounds().newest;

  function call(listener: () => void) {
    try {
      listener();
    } catch (error) {
      log.warn({ error: String(error) }, 'a listener of the event feed failed');
    }
  }

  return {
    bounds,
    after: (seq, limit) => after(seq, limit).map(eventIn),
    onNew(listener) {
      // The same function may listen twice, and stop once.
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    announce() {
      const { newest } = bounds();
      if (newest === announced) return;
      announced = newest;
      for (const listener of [...listeners]) call(listener);
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
