/**
 * What happens in the node as server-sent events (HTML standard, section 9.2). The events come from the
 * database by cursor, and only when the socket takes them: a slow reader costs no memory, and one that
 * comes back with `Last-Event-ID` misses nothing that is still kept. What is not kept is announced.
 */
import type { NodeApi } from '../node/api/api.ts';
import type { Feed } from '../node/runtime/feed.ts';
import { parseDecimal } from '../protocol/amount.ts';
import { failure, PROTECTION, type Refusal, refuse } from './answers.ts';
import { type ApiContext, type Mount, noAddress } from './calls.ts';
import { BASE } from './endpoints/endpoint.ts';
import { feedText, gapText } from './feed-view.ts';

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
    return new Response(body, { headers: { ...HEADERS, [POSITION]: String(from) } });
  }

  mount({
    path: `${BASE}/events/stream`,
    addresses: noAddress,
    atOnce: true,
    methods: {
      GET: (c) => {
        const after = lastEventId(c);
        if (typeof after === 'object' && after !== null) return after;
        // Nobody would read the body of a HEAD, nor end it.
        if (c.req.method === 'HEAD') return () => new Response(null, { headers: HEADERS });
        return () => stream(after);
      },
    },
  });
}

/** Behind which event a stream begins. */
const POSITION = 'sluice-event-id';
const HEADERS: Record<string, string> = {
  ...PROTECTION,
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that gathers output would hold events back.
  'x-accel-buffering': 'no',
};

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

/** `data`: JSON, which has no line ends. */
function eventText(id: number, event: string, data: string): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
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
  const encoder = new TextEncoder();
  let isOver = false;
  let isCancelled = false;
  let wake = () => {};
  // The id without data: a browser that loses the connection before the first event asks for what came since.
  let greeting = `retry: ${RETRY_MS}\nid: ${from}\n\n`;

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

  /** Empty when it is over. */
  async function nextText(): Promise<string> {
    while (!isOver) {
      const text = greeting + cursor.next();
      greeting = '';
      if (text !== '') return text;
      if ((await pause()) && !isOver) return ':\n\n';
    }
    return '';
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      const text = await nextText();
      if (text !== '') return controller.enqueue(encoder.encode(text));
    } catch (error) {
      close();
      onFailure(error);
    }
    if (!isCancelled) controller.close();
  }

  function cancel(): void {
    isCancelled = true;
    close();
  }
  // With room for nothing, it is asked only when the socket has taken what came before.
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}
