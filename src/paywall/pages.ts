/**
 * Lets pages of other origins buy from a browser (Fetch standard, CORS protocol). The answer to a preflight is no answer of
 * the server behind, and costs nothing. Cookies are not let through: what a page buys it pays with a proof.
 */
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { originMatcher } from '../http/checks/origins.ts';
import type { Cut } from './cut.ts';
import type { Paywall } from './paywall.ts';

const ANY = '*';
const ASKED_METHOD = 'access-control-request-method';
/** Seconds for which a browser remembers the answer to a preflight. */
const MAX_AGE = 600;

/** `origins`: as `parseOrigins` gives them, or `*` among them for all; without one the paywall is left as it is. */
export function openToPages(fetch: Paywall['fetch'], origins: readonly string[]): Paywall['fetch'] {
  if (origins.length === 0) return fetch;
  const isNamed = originMatcher(origins);
  const all = origins.includes(ANY);
  const share = cors({
    origin: all ? ANY : (origin) => (isNamed(origin) ? origin : null),
    allowMethods: (_, c) => [c.req.header(ASKED_METHOD) ?? ''],
    maxAge: MAX_AGE,
  });
  const app = new Hono<{ Bindings: { from: string | null; cut: Cut | undefined } }>();
  app.use(async (c, next) => {
    if (c.req.method !== 'OPTIONS' || c.req.header(ASKED_METHOD) !== undefined)
      return share(c, next);
    // It asks for no leave, so it is a call as others are, which hono would answer as a preflight.
    await next();
    const origin = c.req.header('origin') ?? '';
    if (all || isNamed(origin)) c.header('access-control-allow-origin', all ? ANY : origin);
    c.header('vary', 'Origin', { append: true });
  });
  app.all('*', async (c) => {
    const answer = await fetch(c.req.raw, c.env.from, c.env.cut);
    for (const name of [...answer.headers.keys()])
      if (name.startsWith('access-control-')) answer.headers.delete(name);
    // Each by its name: a star means nothing to older browsers.
    answer.headers.set('access-control-expose-headers', [...answer.headers.keys()].join(','));
    return answer;
  });
  return async (request, from, cut) => app.fetch(request, { from, cut });
}
