/**
 * Lets pages of named origins call the API from a browser (Fetch standard, CORS protocol). It wraps the application, so
 * that every answer has the headers, refusals too.
 */
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';

const SHARED = {
  allowMethods: ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'],
  allowHeaders: ['content-type', 'authorization', 'last-event-id'],
  exposeHeaders: ['allow', 'retry-after', 'sluice-event-id'],
  /** Seconds for which a browser remembers the answer to a preflight. */
  maxAge: 600,
};
/** Scheme, host, port; a path after them, as other implementations allow, is ignored. */
const ORIGIN = /^(https?:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9.-]+))(?::(\d{1,5}|\*))?(?:\/\*?)?$/;

/**
 * A comma list of origins: `https://app.example`, `http://localhost:3000`, and `http://localhost:*` for any
 * port. Null when one of them is none; empty text is an empty list.
 */
export function parseOrigins(text: string): string[] | null {
  const origins = text.split(',').map((given) => originIn(given.trim().toLowerCase()));
  if (text.trim() === '') return [];
  return origins.every((origin) => origin !== null) ? origins : null;
}

function originIn(text: string): string | null {
  const [, site, port] = ORIGIN.exec(text) ?? [];
  if (site === undefined || !URL.canParse(site)) return null;
  if (port === '*') return `${site}:*`;
  const url = port === undefined ? site : `${site}:${port}`;
  return URL.canParse(url) ? new URL(url).origin : null;
}

/** Whether an origin, as a browser sends it, is one of those that `parseOrigins` gave. */
export function originMatcher(origins: readonly string[]): (origin: string) => boolean {
  const exact = new Set(origins.filter((origin) => !origin.endsWith(':*')));
  const anyPort = new Set(origins.filter((origin) => origin.endsWith(':*')));
  return (origin) => {
    if (exact.has(origin)) return true;
    return anyPort.size > 0 && anyPort.has(`${origin.replace(/:\d{1,5}$/, '')}:*`);
  };
}

/** Answers that pages of the named origins may read, and answers to their preflights. */
export function shareWith(isNamed: (origin: string) => boolean): MiddlewareHandler {
  const share = cors({ ...SHARED, origin: (origin) => origin });
  return async (c, next) => {
    const origin = c.req.header('origin');
    if (origin === undefined || !isNamed(origin)) {
      await next();
      return c.header('vary', 'Origin');
    }
    const preflight = await share(c, next);
    // A web page asks for permission to reach this machine (Private Network Access).
    if (c.req.header('access-control-request-private-network') !== undefined)
      preflight?.headers.set('access-control-allow-private-network', 'true');
    return preflight;
  };
}
