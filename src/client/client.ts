/** The typed client of the REST API, for programs and pages: nothing here needs Node. */
import { hc } from 'hono/client';
import type { Api } from '../http/contract.ts';

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
