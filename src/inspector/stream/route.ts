/**
 * `GET /inspector/events`: the steps of the journal as server-sent events. A reader gets as much as it reads. Nothing
 * is buffered for it, because the journal can be read again.
 */

import { parseDecimal } from '../../basics/amount.ts';
import {
  EVENT_STREAM_HEADERS,
  eventStream,
  greetingText,
  SIGN_OF_LIFE,
} from '../../http/answers/event-stream.ts';
import type { Caller } from '../../http/queue/lines.ts';
import { createPlaces } from '../../http/queue/places.ts';
import type { Inspection } from '../../node/api/inspection.ts';
import { KINDS } from '../../node/runtime/actors/kinds.ts';
import { type QueryErrors, type RouteRefusal, routeRefusal } from '../base/route.ts';
import type { InspectionKind } from '../wire.ts';
import type { StreamClient, StreamReader } from './client.ts';
import type { Watch } from './readers.ts';
import { MOST_BEHIND } from './tail.ts';

const MOST_STREAMS = 32;
const RETRY_MS = 3_000;
const RECORD_KINDS = {
  spawn: true,
  event: true,
  guard: true,
  transition: true,
  effect: true,
  commit: true,
  stop: true,
  gap: true,
} satisfies Record<InspectionKind, true>;

type Options = {
  journal: Pick<Inspection['journal'], 'bounds'>;
  stream: Pick<StreamClient, 'watch'>;
  /** Milliseconds between heartbeats on a quiet stream. */
  heartbeatMs: number;
  onFailure: (error: unknown) => void;
};

/** `caller`: whose streams count together. */
type Asked = { request: Request; ending: AbortSignal | undefined; caller: Caller };

export function createEvents({ journal, stream, heartbeatMs, onFailure }: Options) {
  const streams = new Set<() => void>();
  const places = createPlaces(MOST_STREAMS);

  function open(watch: Watch, { ending, caller }: Asked): Response | RouteRefusal {
    if (!places.take(caller))
      return routeRefusal(
        503,
        `Of ${MOST_STREAMS} streams, no more are for this caller: close one, or try again later.`,
      );
    const reader = stream.watch(watch);
    const onEnd = () => places.giveBack(caller);
    const endings = [ending, caller.revoked];
    const body = bodyOf({ reader, heartbeatMs, endings, streams, onEnd, onFailure });
    return new Response(body, { headers: EVENT_STREAM_HEADERS });
  }

  return {
    /** The stream, or the refusal. */
    answer(asked: Asked): Response | RouteRefusal {
      const { request } = asked;
      const watch = watchOf(request, () => journal.bounds().newest);
      if ('ok' in watch) return watch;
      // Nobody would read the body of a HEAD, nor end it.
      if (request.method === 'HEAD') return new Response(null, { headers: EVENT_STREAM_HEADERS });
      return open(watch, asked);
    },
    end(): void {
      for (const close of [...streams]) close();
    },
  };
}

/** The header counts before the query: a browser that reconnects sends both. */
function watchOf({ url, headers }: Request, newest: () => number): Watch | RouteRefusal {
  const query = new URL(url).searchParams;
  const machine = query.get('machine');
  const given = query.get('kinds');
  const kinds = given === null ? null : kindsIn(given);
  const id = headers.get('last-event-id') ?? query.get('last_event_id') ?? '';
  const after = id === '' ? null : parseDecimal(id);
  const errors: QueryErrors = {};
  if (machine !== null && !Object.hasOwn(KINDS, machine))
    errors['machine'] = [`Must be one of ${Object.keys(KINDS).join(', ')}.`];
  if (given !== null && kinds === null)
    errors['kinds'] = [`Must be a comma list of ${Object.keys(RECORD_KINDS).join(', ')}.`];
  if (id !== '' && after === null)
    errors['last_event_id'] = ['Must be the id of an event, a whole decimal number.'];
  if (Object.keys(errors).length > 0) return routeRefusal(400, errors);
  const filter = { actor: query.get('actor'), machine, kinds };
  return after === null
    ? { ...filter, after: newest(), patience: MOST_BEHIND }
    : { ...filter, after: Number(after), patience: Number.POSITIVE_INFINITY };
}

/** Null when one of the words is no kind of record. */
function kindsIn(text: string): readonly InspectionKind[] | null {
  const names = text.split(',');
  const kinds = names.filter(isKind);
  return kinds.length === names.length ? kinds : null;
}

function isKind(name: string): name is InspectionKind {
  return Object.hasOwn(RECORD_KINDS, name);
}

type Body = {
  reader: StreamReader;
  heartbeatMs: number;
  endings: readonly (AbortSignal | undefined)[];
  /** The functions that end the open streams. */
  streams: Set<() => void>;
  /** Called once, when the stream is over. */
  onEnd: () => void;
  onFailure: (error: unknown) => void;
};
type Text = Uint8Array<ArrayBuffer>;

/** Ends when the client leaves or may read no more, or the node ends. */
function bodyOf({
  reader,
  heartbeatMs,
  endings,
  streams,
  onEnd,
  onFailure,
}: Body): ReadableStream<Text> {
  let greeting: string | null = greetingText(RETRY_MS);
  const next = withSignsOfLife(reader, heartbeatMs);

  function close(): void {
    if (streams.delete(close)) onEnd();
    for (const ending of endings) ending?.removeEventListener('abort', close);
    reader.end();
  }
  streams.add(close);
  for (const ending of endings) ending?.addEventListener('abort', close);
  if (endings.some((ending) => ending?.aborted)) close();

  async function following(): Promise<string | Text | null> {
    if (greeting === null) return next();
    const first = greeting;
    greeting = null;
    return first;
  }

  return eventStream({ next: following, onEnd: close, onFailure });
}

/**
 * The reader's next text, or a heartbeat when the text takes longer than `ms`; the question to the reader then stays
 * open. `Promise.race` would add a handler to the open promise at each heartbeat, for days.
 */
function withSignsOfLife(reader: StreamReader, ms: number): () => Promise<Text | null> {
  const sign = new TextEncoder().encode(SIGN_OF_LIFE);
  let isAsked = false;
  let arrived: Promise<Text | null> | null = null;
  let look = () => {};

  function ask(): void {
    isAsked = true;
    const asked = reader.next();
    const settle = () => {
      arrived = asked;
      look();
    };
    asked.then(settle, settle);
  }

  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        look = () => {};
        resolve(sign);
      }, ms);
      look = () => {
        if (arrived === null) return;
        clearTimeout(timer);
        resolve(arrived);
        arrived = null;
        isAsked = false;
      };
      if (isAsked) look();
      else ask();
    });
}
