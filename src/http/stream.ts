/**
 * What happens in the node as server-sent events (HTML standard, section 9.2). The events come from the
 * database by cursor, and only when the socket takes them: a slow reader costs no memory, and one that
 * comes back with `Last-Event-ID` misses nothing that is still kept. What is not kept is announced.
 */
import type { NodeApi } from '../node/api/api.ts';
import type { Feed } from '../node/runtime/feed.ts';
import { parseDecimal } from '../protocol/amount.ts';
import type { ApiContext, Mount } from './chain.ts';
import { BASE } from './endpoints/endpoint.ts';
import {
  EVENT_STREAM_HEADERS,
  eventStream,
  eventText,
  greetingText,
  SIGN_OF_LIFE,
} from './event-stream.ts';
import { feedText, gapText } from './feed-serializer.ts';
import { failure, type Refusal, refuse } from './responses.ts';

const MOST_STREAMS = 32;
export const EVENTS_AT_ONCE = 100;
/** After this, a client whose connection is gone should come back. */
const RETRY_MS = 3_000;

export type StreamOptions = {
  node: NodeApi;
  mount: Mount;
  /** Ends all streams. */
  ending: AbortSignal;
  /** Something threw that must not. */
  onFailure: (error: unknown) => void;
  /** Between signs of life on a quiet stream. */
  heartbeatMs: number;
};

export function streamRoutes(options: StreamOptions): void {
  const { node, mount, ending, onFailure, heartbeatMs } = options;
  const streams = new Set<() => void>();
  ending.addEventListener('abort', () => {
    for (const close of [...streams]) close();
  });

  function stream(after: number | null): Response {
    if (streams.size >= MOST_STREAMS) {
      return refuse(
        failure('too_many_calls', `At most ${MOST_STREAMS} streams are open at a time.`),
      );
    }
    const { feed } = node;
    const cursor = createCursor(feed, after ?? feed.bounds().newest);
    const from = cursor.at();
    const body = bodyOf({ feed, cursor, from, streams, heartbeatMs, onFailure });
    return new Response(body, { headers: { ...EVENT_STREAM_HEADERS, [POSITION]: String(from) } });
  }

  const path = `${BASE}/events/stream`;
  mount({ method: 'GET', path, scope: 'read', atOnce: true }, (c) => {
    const after = lastEventId(c);
    if (typeof after === 'object' && after !== null) return refuse(after);
    // Nobody would read the body of a HEAD, nor end it.
    if (c.req.method === 'HEAD') return new Response(null, { headers: EVENT_STREAM_HEADERS });
    return stream(after);
  });
}

/** Behind which event a stream begins. */
const POSITION = 'sluice-event-id';
/** The header counts before the query: a browser that reconnects sends both. Null: from now on. */
function lastEventId(c: ApiContext): number | null | Refusal {
  const given = c.req.header('last-event-id') ?? c.req.query('last_event_id') ?? '';
  if (given === '') return null;
  const id = parseDecimal(given);
  if (id !== null) return Number(id);
  const fields = { last_event_id: ['Must be the id of an event, a whole decimal number.'] };
  return { ...failure('invalid_shape'), fields };
}

type Cursor = ReturnType<typeof createCursor>;

/** Walks through the feed; `next` gives text of events that were not given yet, or none. */
function createCursor(feed: Feed, after: number) {
  let at = after;

  /** What stands between the last event that was given and the oldest that is kept. */
  function gap(): string {
    const { oldest, newest } = feed.bounds();
    // The number is from another database: of this one, its client has seen nothing.
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
    /** The last event that was given, or that its reader had before. */
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
  /** How to end each of them. */
  streams: Set<() => void>;
  heartbeatMs: number;
  onFailure: (error: unknown) => void;
};

/** Ends when the client leaves or the node ends; then it is forgotten at once. */
function bodyOf(parts: Body): ReadableStream<Uint8Array> {
  const { feed, cursor, from, streams, heartbeatMs, onFailure } = parts;
  let isOver = false;
  let wake = () => {};
  let greeting = greetingText(RETRY_MS, from);

  function close(): void {
    if (isOver) return;
    isOver = true;
    streams.delete(close);
    wake();
  }
  streams.add(close);

  /** Resolves when there may be events, when it is over, or true when only time has passed. */
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
