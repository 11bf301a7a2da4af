/**
 * Lets pages of named origins call the API from a browser (Fetch standard, CORS protocol). Around the
 * application and not in it, so that every answer carries the headers, refusals too.
 */
import type { serve } from './server.ts';

type Fetch = Parameters<typeof serve>[0]['app']['fetch'];

const METHODS = 'GET, HEAD, PUT, POST, PATCH, DELETE';
const HEADERS = 'content-type, authorization, last-event-id';
const EXPOSED = 'allow, retry-after, sluice-event-id';
const PREFLIGHT_SECONDS = '600';
/** Scheme, host, port; a path that other implementations write behind it is left out. */
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

/** `fetch` with answers that pages of the named origins may read, and with answers to their preflights. */
export function withCors(isNamed: (origin: string) => boolean, fetch: Fetch): Fetch {
  return async (request, ...more) => {
    const origin = request.headers.get('origin');
    if (origin === null || !isNamed(origin)) {
      return marked(await fetch(request, ...more), { vary: 'Origin' });
    }
    const allowed = { vary: 'Origin', 'access-control-allow-origin': origin };
    if (isPreflight(request))
      return new Response(null, { status: 204, headers: preflight(request, allowed) });
    const answer = await fetch(request, ...more);
    return marked(answer, { ...allowed, 'access-control-expose-headers': EXPOSED });
  };
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method');
}

function preflight({ headers }: Request, allowed: Record<string, string>): Record<string, string> {
  const all = {
    ...allowed,
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': HEADERS,
    'access-control-max-age': PREFLIGHT_SECONDS,
  };
  // A page of the web asks for leave to reach this machine (Private Network Access).
  return headers.has('access-control-request-private-network')
    ? { ...all, 'access-control-allow-private-network': 'true' }
    : all;
}

function marked(answer: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
