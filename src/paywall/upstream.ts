/** Passes a call on to the server behind the paywall, and its answer back as it comes. */
/** Of the call that the server behind must not see: the proof is for the paywall. */
const OWN = ['payment-signature', 'x-payment'];

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

/** An answer of so many bytes is taken whole, in a third of the time: it is there at once, or cut off and none. */
const SHORT_BYTES = 65_536;

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
    // The client follows a redirection, or does not.
    const init = { method, headers, signal, redirect: 'manual' } as const;
    const sent = body === null ? init : { ...init, body, duplex: 'half' as const };
    return passedBack(await fetch(`${prefix}${path}${search}`, sent));
  };
}

/** Whether an answer with these headers was taken whole. */
export function isWhole(headers: Headers): boolean {
  const length = headers.get('content-length');
  return length !== null && Number(length) <= SHORT_BYTES;
}

async function passedBack(answer: Response): Promise<Response> {
  const { status, statusText, body } = answer;
  const headers = new Headers(answer.headers);
  const named = headers.get('connection')?.split(',') ?? [];
  for (const name of [...OF_CONNECTION, ...named.map((one) => one.trim())])
    if (NAME.test(name)) headers.delete(name);
  // It is unpacked, though the server was asked not to pack it.
  if (headers.has('content-encoding')) {
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  const content =
    body !== null && isWhole(headers) ? new Uint8Array(await answer.arrayBuffer()) : body;
  return new Response(content, { status, statusText, headers });
}

const NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
