/** Calls an application without a network. */
import { type ApiOptions, createApp } from '../../../src/http/app.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import { fakeNode } from './fake-node.ts';

export type App = ReturnType<typeof createApp>;
export type Answer = { status: number; body: unknown; headers: Headers };
export type Call = {
  method?: string;
  path: string;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as it is, with the content type of JSON unless headers say otherwise. */
  raw?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

export function appWith(changes: Partial<NodeApi> = {}, options: ApiOptions = {}): App {
  return createApp({ node: fakeNode(changes), options });
}

/** `path` is below `/api/v1`. The body of the answer is parsed when it is JSON. */
export async function call(app: App, request: Call): Promise<Answer> {
  const { method = 'GET', path, json, raw, headers = {}, signal } = request;
  const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
  const type: Record<string, string> =
    body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await app.request(`/api/v1${path}`, {
    method,
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json' && text !== '';
  return {
    status: response.status,
    body: isJson ? JSON.parse(text) : text,
    headers: response.headers,
  };
}
