/** A feed in memory that keeps the newest events, and what a client reads of a stream. */
import type { Feed, FeedEvent } from '../../../src/node/runtime/commits/feed.ts';
import { HISTORY, PARTNER, TOKEN } from './fake-node.ts';

type FakeFeed = Feed & {
  /** Adds payments until the newest event has this number. */
  grow(newest: number): void;
  add(event: FeedEvent): void;
  /** How often events were asked for. */
  reads(): number;
  listeners(): number;
};

export function paymentEvent(seq: number): FeedEvent {
  const [record] = HISTORY;
  if (record === undefined) throw new Error('there is no payment');
  return { type: 'payment', seq, time: record.time, record };
}

export function depositEvent(seq: number): FeedEvent {
  const at = { block: 7n, logIndex: 0, transactionHash: `0x${'ab'.repeat(32)}` } as const;
  const of = { tokenNetwork: TOKEN, channelId: 3n, at };
  const log = {
    type: 'chain.channelDeposit',
    participant: PARTNER,
    totalDeposit: 9n,
    ...of,
  } as const;
  return { type: 'channel', seq, time: 0, token: TOKEN, partner: PARTNER, log };
}

export function notificationEvent(seq: number): FeedEvent {
  const notification = {
    id: 'low_rdn',
    summary: 'low',
    body: 'add\nmore',
    urgency: 'high',
  } as const;
  return { type: 'notification', seq, time: 0, notification };
}

/** Holds events 1 to `newest`, of which the last `kept` can still be read. */
export function fakeFeed({ newest = 0, kept = 1_000 } = {}): FakeFeed {
  const events: FeedEvent[] = [];
  let last = 0;
  let reads = 0;
  const listeners = new Set<() => void>();

  function add(event: FeedEvent): void {
    events.push(event);
    if (events.length > kept) events.shift();
    last = event.seq;
    for (const listener of [...listeners]) listener();
  }
  function grow(to: number): void {
    while (last < to) add(paymentEvent(last + 1));
  }
  grow(newest);
  return {
    add,
    grow,
    reads: () => reads,
    listeners: () => listeners.size,
    bounds: () => ({ oldest: events[0]?.seq ?? last + 1, newest: last }),
    after(seq, limit) {
      reads++;
      // They are numbered without holes.
      const start = Math.max(0, seq + 1 - (last + 1 - events.length));
      return events.slice(start, start + limit);
    },
    onNew(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export type Heard = { id: string; event: string; data: Record<string, unknown> };

/** What the text of a stream says, without comments and hints. */
export function eventsIn(text: string): Heard[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const fields = new Map(block.split('\n').map((line) => [line.split(': ', 1)[0], line]));
      const value = (name: string) => fields.get(name)?.slice(name.length + 2) ?? '';
      return { id: value('id'), event: value('event'), data: JSON.parse(value('data')) };
    });
}
