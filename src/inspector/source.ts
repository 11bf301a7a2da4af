/**
 * The inspector's endpoints of one node, from which the page and the command line read everything. Answers are JSON
 * of the codec; the stream is read with `fetch`, since an EventSource cannot send a token.
 */
import { decode } from '../store/base/codec.ts';
import { type Answers, isAnswer } from './answers.ts';
import { createEventReader } from './event-stream.ts';
import { TAGGED } from './replay/plain-numbers.ts';
import type { StepRecords } from './wire.ts';

export type ConnectionState = 'connecting' | 'live' | 'lost' | 'token' | 'closed';
type StreamOptions = {
  /** Query of the stream: `actor`, `machine`, `kinds`. */
  query?: Record<string, string>;
  /** The step after which the stream begins; null: from now on. */
  after: number | null;
  onSteps(steps: readonly StepRecords[]): void;
  onState(state: ConnectionState): void;
};
export type InspectorSource = {
  /** Reads the answer `name` at `path` below the inspector's base, e.g. `actors/channel:…`. Throws `SourceError`. */
  read<Name extends keyof Answers>(
    name: Name,
    path: string,
    query?: Record<string, string>,
  ): Promise<Answers[Name]>;
  /** Reads the text at `path`, unchanged. Throws `SourceError`. */
  text(path: string, query?: Record<string, string>): Promise<string>;
  /** Follows the steps, and after a lost connection goes on where it was. The returned function ends it. */
  follow(options: StreamOptions): () => void;
  setToken(token: string): void;
};

/** `status` 0: the node did not answer. */
export class SourceError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const REFUSALS: Record<number, string> = {
  401: 'The node wants a token.',
  403: 'The node does not take this token.',
  404: 'The node knows nothing of this.',
};
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000];

/** `base`: with a slash at its end, e.g. `/inspector/`. */
export function createSource(base: string): InspectorSource {
  let token = '';
  const headers = () => (token === '' ? {} : { authorization: `Bearer ${token}` });
  const urlOf = (path: string, query: Record<string, string>) => {
    const text = new URLSearchParams({ ...query, ...TAGGED }).toString();
    return `${base}${path}?${text}`;
  };

  async function ask(path: string, query: Record<string, string>, init: RequestInit) {
    const response = await fetch(urlOf(path, query), init).catch(() => {
      if (init.signal?.aborted) throw new SourceError(0, 'aborted');
      throw new SourceError(0, 'The node does not answer.');
    });
    if (response.ok) return response;
    throw new SourceError(
      response.status,
      REFUSALS[response.status] ?? `The node answered ${response.status}.`,
    );
  }

  async function read<Name extends keyof Answers>(
    name: Name,
    path: string,
    query: Record<string, string> = {},
  ): Promise<Answers[Name]> {
    const response = await ask(path, query, { headers: headers() });
    const value = decode(await response.text());
    if (isAnswer(name, value)) return value;
    throw new SourceError(
      response.status,
      'The node answered something else: is it of this version?',
    );
  }

  function follow({ query = {}, after, onSteps, onState }: StreamOptions): () => void {
    const ending = new AbortController();
    let last = after;
    let losses = 0;

    async function once(): Promise<void> {
      const resume = last === null ? {} : { 'last-event-id': String(last) };
      const init = { headers: { ...headers(), ...resume }, signal: ending.signal };
      const { body } = await ask('events', query, init);
      if (body === null) return;
      losses = 0;
      onState('live');
      const reader = createEventReader((id, steps) => {
        last = id ?? last;
        if (steps.length > 0) onSteps(steps);
      });
      for await (const chunk of chunksOf(body)) reader.take(chunk);
    }

    async function run(): Promise<void> {
      while (!ending.signal.aborted) {
        onState('connecting');
        const error: unknown = await once().catch((caught: unknown) => caught);
        if (ending.signal.aborted) break;
        const needsToken = error instanceof SourceError && [401, 403].includes(error.status);
        onState(needsToken ? 'token' : 'lost');
        await abortablePause(PAUSES_MS[Math.min(losses, PAUSES_MS.length - 1)] ?? 0, ending.signal);
        losses += 1;
      }
      onState('closed');
    }
    void run();
    return () => ending.abort();
  }

  return {
    read,
    text: async (path, query = {}) => (await ask(path, query, { headers: headers() })).text(),
    follow,
    setToken: (given) => {
      token = given;
    },
  };
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

/** Waits; ends early when the signal is aborted. */
export function abortablePause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
