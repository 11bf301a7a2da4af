/** The events of a node as they happen, over connections that are lost. */
import { createParser } from 'eventsource-parser';
import type { Event } from '../http/shapes/answers.ts';
import { bearerOf, type ClientOptions, placeOf } from './api.ts';
import { pause } from './pause.ts';

export type WatchOptions = ClientOptions & {
  /** The number of the last event that was seen before; absent: only new events. */
  after?: string;
  /** Ends the watching. */
  signal?: AbortSignal;
};

/** Milliseconds before a lost stream is asked for again. */
const PAUSE_MS = 3_000;
/** Statuses that another try would not change. */
const FINAL = [400, 401, 403, 404, 405];

/**
 * `for await (const event of watchEvents(url))`: the number of an event is its `seq`, with which a later process
 * continues as `after`; a `gap` stands for events that the node does not keep any more. `url` is the node's, without a
 * path. A lost connection is made again automatically. Throws when the node refuses, for example without a valid token.
 */
export async function* watchEvents(url: string, options: WatchOptions = {}): AsyncGenerator<Event> {
  const { signal } = options;
  let after = options.after;
  while (signal?.aborted !== true) {
    const { body, at } = await connect(url, after, options);
    // Remembered, so that nothing is missed when the connection is lost before the first event.
    after ??= at;
    for await (const event of body === null ? [] : eventsIn(body, signal)) {
      after = event.type === 'gap' ? event.to : event.seq;
      yield event;
    }
    await pause(PAUSE_MS, signal);
  }
}

/** `body`: null when there is no stream at the moment. `at`: the event after which the stream begins. */
async function connect(
  url: string,
  after: string | undefined,
  options: WatchOptions,
): Promise<{ body: ReadableStream<Uint8Array> | null; at?: string }> {
  const { token, signal, fetch = globalThis.fetch } = options;
  const headers = {
    ...bearerOf(token),
    ...(after === undefined ? {} : { 'last-event-id': after }),
  };
  const stream = `${placeOf(url)}/api/v1/events/stream`;
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
    // The connection is lost; the next one gets the events that did not arrive.
    if (signal?.aborted !== true && !(error instanceof TypeError)) throw error;
  } finally {
    void reader.cancel().catch(() => {});
  }
}
