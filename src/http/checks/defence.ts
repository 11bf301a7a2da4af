/**
 * Keeps web pages away from an API that needs no password. A page can make a browser send requests here, even under a
 * host name of its own that it has pointed at this machine (DNS rebinding); it cannot choose the headers `Host`,
 * `Origin` and `Sec-Fetch-Site`. Programs other than browsers do not send the latter two, so those are only judged when
 * present.
 */
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6 } from 'node:net';
import { failure, type Refusal } from '../answers/responses.ts';

const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const HOST = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/;
const HOST_NAME = /^[a-z0-9._-]+$/;
const OWN_SITES = new Set(['same-origin', 'none']);

/** The host as it stands in a URL and in the header `Host`: IPv6 in brackets, lower case. */
export function hostInUrl(host: string): string {
  const name = host.toLowerCase();
  return name.includes(':') && !name.startsWith('[') ? `[${name}]` : name;
}

/** A comma list of host names without ports, in the form of `hostInUrl`. Null when one of them is none. */
export function parseHosts(text: string): string[] | null {
  const names = text.split(',').map((name) => name.trim().toLowerCase());
  return names.every(isHost) ? names.map(hostInUrl) : null;
}

/** IPv6 in brackets or not. */
function isHost(name: string): boolean {
  return HOST_NAME.test(name) || isIPv6(name.replace(/^\[(.*)\]$/, '$1'));
}

type Options = {
  /** Host names without port, beside the loopback names and the bound host. */
  allowedHosts: readonly string[];
  /** Pages of other origins that may call the API nevertheless. */
  isNamedOrigin: (origin: string) => boolean;
};

/**
 * Further requests that are let in for paths that hold no secret and change nothing. `probe`: under any IP address of
 * this machine, such as that of its pod; a host name that was pointed here is still refused. `page`: a reader who
 * follows a link to the path, from any site; a page that would read or embed it is still refused.
 */
export type Guest = 'probe' | 'page' | null;

/**
 * Judges a request by its headers: null lets it in. `boundHost` is in the form of hostInUrl. A request
 * without `Host` never gets through `serve`.
 */
export function createDefence({ allowedHosts, isNamedOrigin }: Options) {
  const names = new Set([...LOCAL_NAMES, ...allowedHosts.map(hostInUrl)]);

  return (headers: Headers, boundHost: string | undefined, guest: Guest = null): Refusal | null => {
    const host = headers.get('host')?.toLowerCase() ?? 'localhost';
    const name = HOST.exec(host)?.[1];
    const isOwn = name !== undefined && (names.has(name) || name === boundHost);
    if (!isOwn && !(guest === 'probe' && isAddress(name))) {
      return failure('forbidden_origin', 'The host name is not allowed.');
    }
    const origin = headers.get('origin');
    if (origin !== null && isNamedOrigin(origin)) return null;
    if (guest === 'page' && origin === null && isLinkFollowed(headers)) return null;
    const site = headers.get('sec-fetch-site');
    if (site !== null && !OWN_SITES.has(site)) return failure('forbidden_origin');
    return origin === null || isOwnOrigin(origin, host) ? null : failure('forbidden_origin');
  };
}

function isAddress(name: string | undefined): boolean {
  return name !== undefined && isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** Whether the browser opens the answer in a window, not in a frame: then only the reader sees it. */
function isLinkFollowed(headers: Headers): boolean {
  return (
    headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  );
}

function isOwnOrigin(origin: string, host: string): boolean {
  const lower = origin.toLowerCase();
  return lower === `http://${host}` || lower === `https://${host}`;
}

/** The headers as the defence takes them, for a server that has no `Request`. */
export function headersOf({ headers }: Pick<IncomingMessage, 'headers'>): Headers {
  const one = (value: string | string[]) => (typeof value === 'string' ? value : value.join(', '));
  const known = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, one(value)]],
  );
  return new Headers(known);
}
