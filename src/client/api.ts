/** Calls of the REST API, typed by its description. */
import { hc } from 'hono/client';
import type { Api } from '../http/description/contract.ts';

export type ClientOptions = {
  /** Sent as `Authorization: Bearer …`. */
  token?: string;
  /** Used instead of the global `fetch`. */
  fetch?: typeof fetch;
};
/** Its properties follow the paths; each ends in `$get`, `$put`, `$post`, `$patch` or `$delete`. */
export type Client = ReturnType<typeof hc<Api>>;

/** The URL without slashes at its end. */
export const placeOf = (url: string): string => url.replace(/\/+$/, '');

/** The header that carries the token; none without one. */
export function bearerOf(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

/**
 * Calls read like the paths: `client.channels[':token'][':partner'].$get({ param: { token, partner } })`. `url` is the
 * node's, without a path. The type of an answer depends on its status; a call only throws when the connection fails.
 */
export function createClient(url: string, { token, fetch }: ClientOptions = {}): Client {
  return hc<Api>(`${placeOf(url)}/api/v1`, {
    headers: bearerOf(token),
    ...(fetch === undefined ? {} : { fetch }),
  });
}
