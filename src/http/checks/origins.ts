/** Origins of web pages that may call the API, as an operator names them and as browsers send them. */

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
