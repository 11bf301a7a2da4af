/** Passes a call on to the server behind the paywall, and its answer back as it comes. */
import { exchange } from './base/exchange.ts';

/** Of the call that the server behind must not see: the proof is for the paywall. */
const OWN = ['payment-signature', 'x-payment'];

/** Of its answer: what it wants to be paid itself nobody could show it through this one, which keeps the proof. */
const OWN_WORDS = ['payment-required', 'payment-response'];

/** Of the connection with the client; what it expects it was answered by this server. */
const OF_CONNECTION = [
  ...['connection', 'keep-alive', 'upgrade', 'te', 'trailer', 'expect', 'host'],
  ...['transfer-encoding', 'proxy-authenticate', 'proxy-authorization'],
];

/** By which some servers serve another path or method than that which was paid for. */
const OF_OTHER_CALLS = [
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
];

const KEPT_BACK: readonly string[] = [...OWN, ...OF_CONNECTION, ...OF_OTHER_CALLS];

export type Upstream = (request: Request, from: string | null) => Promise<Response>;

/** `upstream`: its URL, also with a path, which is put before that of the call. */
export function createUpstream(upstream: string): Upstream {
  const { origin, pathname } = new URL(upstream);
  const prefix = `${origin}${pathname.replace(/\/+$/, '')}`;
  return async (request, from) => {
    const { pathname: path, search, host, protocol } = new URL(request.url);
    const { method, body, signal } = request;
    const headers = new Headers(request.headers);
    // Some servers tell no underscore from a hyphen.
    for (const name of [...headers.keys()])
      if (KEPT_BACK.includes(name.replaceAll('_', '-'))) headers.delete(name);
    const before = headers.get('x-forwarded-for');
    if (from !== null)
      headers.set('x-forwarded-for', before === null ? from : `${before}, ${from}`);
    if (!headers.has('x-forwarded-host')) headers.set('x-forwarded-host', host);
    if (!headers.has('x-forwarded-proto')) headers.set('x-forwarded-proto', protocol.slice(0, -1));
    // Unpacked bytes would have to wait for a whole block of the packed ones.
    headers.set('accept-encoding', 'identity');
    const asked = { method, headers, body, signal };
    // The client follows a redirection, or does not.
    const answer = await exchange(`${prefix}${path}${search}`, asked);
    withoutConnection(answer.headers);
    for (const name of OWN_WORDS) answer.headers.delete(name);
    return answer;
  };
}

/** What the server behind says of its connection is for nobody else. */
function withoutConnection(headers: Headers): void {
  const named = headers.get('connection')?.split(',') ?? [];
  for (const name of [...OF_CONNECTION, ...named.map((one) => one.trim())])
    if (NAME.test(name)) headers.delete(name);
}

const NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
