/** Calls of the REST API, typed by its description. */
import { hc } from 'hono/client';
import type { Api } from '../http/contract.ts';

export type ClientOptions = {
  /** Sent as `Authorization: Bearer …`. */
  token?: string;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch;
};
/** Its properties follow the paths; each ends in `$get`, `$put`, `$post`, `$patch` or `$delete`. */
export type Client = ReturnType<typeof hc<Api>>;

/**
 * Calls read like the paths: `client.channels[':token'][':partner'].$get({ param: { token, partner } })`. `url` is the
 * node's, without a path. The type of an answer depends on its status; a call only throws when the connection fails.
 */
export function createClient(url: string, { token, fetch }: ClientOptions = {}): Client {
  return hc<Api>(`${url.replace(/\/+$/, '')}/api/v1`, {
    ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    ...(fetch === undefined ? {} : { fetch }),
  });
}
