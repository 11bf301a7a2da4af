/** The typed client of the REST API, for programs and pages: nothing here needs Node. */
import { createParser } from 'eventsource-parser';
import { hc } from 'hono/client';
import type { Api } from '../http/contract.ts';
import type * as schemas from '../http/response-schemas.ts';

/** What a node tells, on its stream and to webhooks. */
export type Event = schemas.Event;

export type ClientOptions = {
  /** Sent as `Authorization: Bearer …`. */
  token?: string;
  /** Instead of the global `fetch`. */
  fetch?: typeof fetch;
};
/** Walks the paths; each ends in `$get`, `$put`, `$post`, `$patch` or `$delete`. */
export type Client = ReturnType<typeof hc<Api>>;

/**
 * Calls read like the paths: `client.channels[':token'][':partner'].$get({ param: { token, partner } })`.
 * `url` is the node's, without path. Answers are typed by their status; only a connection that fails
 * throws.
 */
export function createClient(url: string, { token, fetch }: ClientOptions = {}): Client {
  return hc<Api>(`${url.replace(/\/+$/, '')}/api/v1`, {
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    ...(fetch === undefined ? {} : { fetch }),
  });
}

export type WatchOptions = ClientOptions & {
  /** The last event that was seen before, by its number; absent: from now on. */
  after?: string;
  /** Ends it. */
  signal?: AbortSignal;
};

/** Milliseconds before a lost stream is asked for again. */
const PAUSE_MS = 3_000;
/** What another try would not change. */
const FINAL = [400, 401, 403, 404, 405];

/**
 * `for await (const event of watchEvents(url))`: an event has its number in `seq`, by which a later process goes
 * on with `after`; a `gap` stands for events that the node does not keep any more. `url` is the node's, without
 * path. A connection that is lost is made again by itself. Throws when the node refuses: no token, no stream.
 */
export async function* watchEvents(url: string, options: WatchOptions = {}): AsyncGenerator<Event> {
  const { signal } = options;
  let after = options.after;
  while (signal?.aborted !== true) {
    const { body, at } = await connect(url, after, options);
    // So that nothing is missed when the connection is lost before the first event.
    after ??= at;
    for await (const event of body === null ? [] : eventsIn(body, signal)) {
      after = event.type === 'gap' ? event.to : event.seq;
      yield event;
    }
    await pause(signal);
  }
}

/** `body` null: not at the moment. `at`: behind which event it begins. */
async function connect(
  url: string,
  after: string | undefined,
  options: WatchOptions,
): Promise<{ body: ReadableStream<Uint8Array> | null; at?: string }> {
  const { token, signal, fetch = globalThis.fetch } = options;
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(after === undefined ? {} : { 'last-event-id': after }),
  };
  const stream = `${url.replace(/\/+$/, '')}/api/v1/events/stream`;
  const answer = await fetch(stream, {
    headers,
    ...(signal === undefined ? {} : { signal }),
  }).catch(() => null);
  if (answer !== null && FINAL.includes(answer.status))
    throw new Error(`the node refuses its events (${answer.status}): ${await answer.text()}`);
  const at = answer?.headers.get('sluice-event-id') ?? null;
  return { body: answer?.ok ? answer.body : null, ...(at === null ? {} : { at }) };
}

async function* eventsIn(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const found: Event[] = [];
  const parser = createParser({
    onEvent: ({ data }) => void found.push(JSON.parse(data)),
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* found.splice(0);
    }
  } catch (error) {
    // The connection is gone; what the node did not get rid of comes with the next one.
    if (signal?.aborted !== true && !(error instanceof TypeError)) throw error;
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function pause(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const timer = setTimeout(end, PAUSE_MS);
    function end() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    }
    signal?.addEventListener('abort', end);
  });
}
