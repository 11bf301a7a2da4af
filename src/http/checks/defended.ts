/** Puts the defence before an application that judges no caller itself, and lets pages of named origins read it. */

import { Hono } from 'hono';
import { refuse } from '../answers/responses.ts';
import type { ApiEnv } from './call.ts';
import { shareWith } from './cors.ts';
import { createDefence, type Guest } from './defence.ts';
import { originMatcher } from './origins.ts';

export type Admitted = {
  /** Host names without port, beside the loopback names and the bound host. */
  allowedHosts?: readonly string[];
  /** The origins whose pages may call, as `parseOrigins` gives them. */
  origins?: readonly string[];
};
type App = { fetch(request: Request): Response | Promise<Response> };

/** `guest`: which further requests are let in, whatever their path. */
export function defended(
  app: App,
  { allowedHosts = [], origins = [] }: Admitted,
  guest: Guest,
): Pick<Hono<ApiEnv>, 'fetch'> {
  const isNamedOrigin = originMatcher(origins);
  const judge = createDefence({ allowedHosts, isNamedOrigin });
  const outer = new Hono<ApiEnv>();
  if (origins.length > 0) outer.use(shareWith(isNamedOrigin));
  outer.all('*', (c) => {
    const { raw } = c.req;
    const refusal = judge(raw.headers, c.env.boundHost, guest);
    return refusal === null ? app.fetch(raw) : refuse(refusal);
  });
  return outer;
}
