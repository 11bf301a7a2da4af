/** Trailers of the answers of `fetch`, which does not tell them: the library behind it, undici, publishes them. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';

/** Name and value by turns, as they came. */
type Call = { trailers: readonly unknown[] };

const calls = new AsyncLocalStorage<Call>();
const byRequest = new WeakMap<object, Call>();
let isListening = false;

function listen(): void {
  if (isListening) return;
  isListening = true;
  subscribe('undici:request:create', (message) => {
    const call = calls.getStore();
    const request = requestIn(message);
    if (call !== undefined && request !== null) byRequest.set(request, call);
  });
  subscribe('undici:request:trailers', (message) => {
    const request = requestIn(message);
    const call = request === null ? undefined : byRequest.get(request);
    const { trailers }: { trailers?: unknown } = Object(message);
    if (call !== undefined && Array.isArray(trailers)) call.trailers = trailers;
  });
}

function requestIn(message: unknown): object | null {
  const { request }: { request?: unknown } = Object(message);
  return typeof request === 'object' ? request : null;
}

/** Calls `fetch` by `call`; `valuesOf` knows all trailers of a name, in small letters, once the body was read to its end. */
export function withTrailers<T>(call: () => T): { result: T; valuesOf(name: string): string[] } {
  listen();
  const seen: Call = { trailers: [] };
  return {
    result: calls.run(seen, call),
    valuesOf: (name) =>
      seen.trailers
        .filter((_, at) => at % 2 === 1 && String(seen.trailers[at - 1]).toLowerCase() === name)
        .map(String),
  };
}
