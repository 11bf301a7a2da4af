/**
 * The event stream: what happens in the node, as server-sent events (HTML standard, section 9.2). Events are read from
 * the database after a cursor, and only when the socket takes them: a slow reader costs no memory, and one that
 * reconnects with `Last-Event-ID` misses nothing that is still kept. Dropped events are announced as a gap.
 */

import { parseDecimal } from '../basics/amount.ts';
import type { NodeApi } from '../node/api/api.ts';
import type { Feed } from '../node/runtime/commits/feed.ts';
import {
  EVENT_STREAM_HEADERS,
  eventStream,
  eventText,
  greetingText,
  SIGN_OF_LIFE,
} from './answers/event-stream.ts';
import { failure, type Refusal, refuse } from './answers/responses.ts';
import { type ApiContext, grantOf } from './checks/call.ts';
import type { Mount } from './checks/entrance.ts';
import { BASE } from './endpoints/endpoint.ts';
import type { Caller } from './queue/lines.ts';
import { createPlaces } from './queue/places.ts';
import { feedText, gapText } from './shapes/feed-serializer.ts';

const MOST_STREAMS = 32;
export const EVENTS_AT_ONCE = 100;
/** After how many milliseconds a client that lost its connection should reconnect. */
const RETRY_MS = 3_000;

export type StreamOptions = {
  node: NodeApi;
  mount: Mount;
  /** Ends all streams. */
  ending: AbortSignal;
  /** Called when something threw unexpectedly. */
  onFailure: (error: unknown) => void;
  /** Milliseconds between signs of life on a quiet stream. */
  heartbeatMs: number;
};

export function streamRoutes(options: StreamOptions): void {
  const { node, mount, ending, onFailure, heartbeatMs } = options;
  const streams = new Set<() => void>();
  const places = createPlaces(MOST_STREAMS);
  ending.addEventListener('abort', () => {
    for (const close of [...streams]) close();
  });

  function stream(after: number | null, caller: Caller): Response {
    if (!places.take(caller)) {
      const detail = `Of ${MOST_STREAMS} streams, no more are for this caller: close one, or try again later.`;
      return refuse(failure('too_many_calls', detail));
    }
    const { feed } = node;
    const cursor = createCursor(feed, after ?? feed.bounds().newest);
    const from = cursor.at();
    const onEnd = () => places.giveBack(caller);
    const parts = { feed, cursor, from, streams, heartbeatMs, onEnd, onFailure };
    const body = bodyOf({ ...parts, revoked: caller.revoked });
    return new Response(body, { headers: { ...EVENT_STREAM_HEADERS, [POSITION]: String(from) } });
  }

  const path = `${BASE}/events/stream`;
  mount({ method: 'GET', path, scope: 'read', atOnce: true }, (c) => {
    const after = lastEventId(c);
    if (typeof after === 'object' && after !== null) return refuse(after);
    // The body of an answer to HEAD is never read, and its stream would never end.
    if (c.req.method === 'HEAD') return new Response(null, { headers: EVENT_STREAM_HEADERS });
    return stream(after, grantOf(c));
  });
}

/** The header that names the event after which a stream begins. */
const POSITION = 'sluice-event-id';
/**
 * The header takes precedence over the query, because a reconnecting browser sends both. Null: begin with new events.
 */
function lastEventId(c: ApiContext): number | null | Refusal {
  const given = c.req.header('last-event-id') ?? c.req.query('last_event_id') ?? '';
  if (given === '') return null;
  const id = parseDecimal(given);
  if (id !== null) return Number(id);
  const fields = { last_event_id: ['Must be the id of an event, a whole decimal number.'] };
  return { ...failure('invalid_shape'), fields };
}

type Cursor = ReturnType<typeof createCursor>;

/** Walks through the feed; `next` gives the text of the next events, empty when there are none. */
function createCursor(feed: Feed, after: number) {
  let at = after;

  /**
   * A gap event for the events between the last one that was given and the oldest that is kept; empty text without a
   * gap.
   */
  function gap(): string {
    const { oldest, newest } = feed.bounds();
    // The number is from another database: the client has seen nothing of this one.
    if (at > newest) {
      at = newest;
      return eventText(at, 'gap', gapText(1, newest));
    }
    if (at + 1 >= oldest) return '';
    const from = at + 1;
    at = oldest - 1;
    return eventText(at, 'gap', gapText(from, at));
  }

  return {
    /** The number of the last event that was given, or that the reader had before. */
    at: () => at,
    next(): string {
      const announced = gap();
      const events = feed.after(at, EVENTS_AT_ONCE);
      at = events.at(-1)?.seq ?? at;
      const texts = events.map((event) => eventText(event.seq, event.type, feedText(event)));
      return announced + texts.join('');
    },
  };
}

type Body = {
  feed: Feed;
  cursor: Cursor;
  /** Where the cursor begins. */
  from: number;
  /** The functions that end the open streams. */
  streams: Set<() => void>;
  heartbeatMs: number;
  revoked: AbortSignal | undefined;
  /** Called once, when the stream is over. */
  onEnd: () => void;
  onFailure: (error: unknown) => void;
};

/** The body of a stream. It ends when the client leaves or may read no more, or the node ends, and is then removed from `streams`. */
function bodyOf(parts: Body): ReadableStream<Uint8Array> {
  const { feed, cursor, from, streams, heartbeatMs, revoked, onEnd, onFailure } = parts;
  let isOver = false;
  let wake = () => {};
  let greeting = greetingText(RETRY_MS, from);

  function close(): void {
    if (isOver) return;
    isOver = true;
    streams.delete(close);
    revoked?.removeEventListener('abort', close);
    onEnd();
    wake();
  }
  streams.add(close);
  revoked?.addEventListener('abort', close);

  /** Waits. Resolves to true after a quiet period, to false when there may be events or the stream is over. */
  async function pause(): Promise<boolean> {
    return new Promise((resolve) => {
      function end(isHeartbeat: boolean): void {
        clearTimeout(timer);
        unsubscribe();
        resolve(isHeartbeat);
      }
      const timer = setTimeout(() => end(true), heartbeatMs);
      const unsubscribe = feed.onNew(() => end(false));
      wake = () => end(false);
    });
  }

  async function nextText(): Promise<string | null> {
    while (!isOver) {
      const text = greeting + cursor.next();
      greeting = '';
      if (text !== '') return text;
      if ((await pause()) && !isOver) return SIGN_OF_LIFE;
    }
    return null;
  }

  return eventStream({ next: nextText, onEnd: close, onFailure });
}
