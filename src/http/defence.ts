/**
 * Keeps web pages away from an API that needs no password. A page can make a browser send requests
 * here, even with a host name of its own that it has pointed at this machine (DNS rebinding); it
 * cannot choose the headers `Host`, `Origin` and `Sec-Fetch-Site`. Programs send the latter two not at
 * all, so these are only judged when present.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { failure, type Refusal } from './answers.ts';

const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/;
const OWN_SITES = new Set(['same-origin', 'none']);

/** The host as it stands in a URL and in the header `Host`: IPv6 in brackets, lower case. */
export function hostInUrl(host: string): string {
  const name = host.toLowerCase();
  return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
}

/**
 * Judges a request by its headers: null lets it in. `allowedHosts` are host names without port, beside
 * the loopback names and the bound host; with a `token`, every call must carry it as a bearer token.
 * `boundHost` is in the form of hostInUrl. A request without `Host` never gets through `serve`.
 */
export function createDefence(options: { allowedHosts: readonly string[]; token: string | null }) {
  const names = new Set([...LOCAL_NAMES, ...options.allowedHosts.map(hostInUrl)]);
  const expected = options.token === null ? null : digest(`Bearer ${options.token}`);

  return (headers: Headers, boundHost: string | undefined): Refusal | null => {
    const host = headers.get('host')?.toLowerCase() ?? 'localhost';
    const name = HOST.exec(host)?.[1];
    if (name === undefined || !(names.has(name) || name === boundHost)) {
      return failure('forbidden_origin', 'The host name is not allowed.');
    }
    const site = headers.get('sec-fetch-site');
    if (site !== null && !OWN_SITES.has(site)) return failure('forbidden_origin');
    const origin = headers.get('origin');
    if (origin !== null && !isOwnOrigin(origin, host)) return failure('forbidden_origin');
    return expected === null || isToken(headers.get('authorization'), expected)
      ? null
      : failure('unauthorized');
  };
}

function isOwnOrigin(origin: string, host: string): boolean {
  const lower = origin.toLowerCase();
  return lower === `http://${host}` || lower === `https://${host}`;
}

/** Compares digests, whose equal length and unpredictable bytes give nothing away by timing. */
function isToken(authorization: string | null, expected: Buffer): boolean {
  return authorization !== null && timingSafeEqual(digest(authorization), expected);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
