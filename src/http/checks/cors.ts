/**
 * Lets pages of named origins call the API from a browser (Fetch standard, CORS protocol). It wraps the application, so
 * that every answer has the headers, refusals too.
 */
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';

const SHARED = {
  allowMethods: ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'],
  allowHeaders: ['content-type', 'authorization', 'last-event-id', 'idempotency-key'],
  exposeHeaders: ['allow', 'retry-after', 'sluice-event-id', 'sluice-outcome', 'sluice-identifier'],
  /** Seconds for which a browser remembers the answer to a preflight. */
  maxAge: 600,
};

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
