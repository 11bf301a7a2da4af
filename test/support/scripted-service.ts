/** A path-finding service that says what a test wants it to say, over real HTTP or in virtual time. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parse, stringify } from 'lossless-json';
import { onTestFinished } from 'vitest';
import type { Address } from '../../src/basics/hex.ts';
import type { Service } from './virtual-ground.ts';

/** `path` without the API's prefix; integers of the body are bigint. */
export type Asked = { method: string; path: string; body: unknown };
export type Said = { status?: number; body: unknown };
/** What a test changes of a service that is in order; null hangs up without an answer. */
export type Script = {
  info?: (count: number) => Said | null;
  paths?: (asked: Asked, count: number) => Said | null;
  iou?: (asked: Asked) => Said | null;
  feedback?: (asked: Asked) => Said | null;
};

/** Makes a service reachable, and answers its URL. */
type Serve = (service: Service) => Promise<string>;

export const PAYEE: Address = '0xdD2FD4581271e230360230F9337D5c0430Bf44C0';
export const REGISTRY: Address = '0xCf7Ed3AccA5a467e9e704C703E8D87F634fB0Fc9';
export const FEEDBACK_TOKEN = 'ab'.repeat(16);

/** What `GET /info` answers. */
export const info = (price: bigint, network: Record<string, unknown> = {}): Said => ({
  body: {
    price_info: price,
    payment_address: PAYEE,
    network_info: { chain_id: 1n, token_network_registry_address: REGISTRY, ...network },
    version: '1',
  },
});
export const found = (...routes: [path: readonly string[], fee: unknown][]): Said => ({
  body: {
    result: routes.map(([path, estimated_fee]) => ({ path, address_metadata: {}, estimated_fee })),
    feedback_token: FEEDBACK_TOKEN,
  },
});
export const refusing = (error_code: number, status = 400): Said => ({
  status,
  body: { errors: 'a text of the service', error_code, error_details: null },
});
const never = (): Said => ({ status: 404, body: { last_iou: null } });

/** Listens until the test ends; `serve`: how, by default at a real port. */
export async function startScripted(script: Script, serve: Serve = listen) {
  const asked: Asked[] = [];
  const of = (end: string) => asked.filter(({ path }) => path.split('?', 1)[0]?.endsWith(end));
  function answerTo(one: Asked): Said | null {
    const { path } = one;
    if (path === '/info') return (script.info ?? (() => info(0n)))(of('/info').length);
    if (path.endsWith('/paths')) return (script.paths ?? (() => found()))(one, of('/paths').length);
    if (path.endsWith('/feedback')) return (script.feedback ?? (() => ({ body: {} })))(one);
    return (script.iou ?? never)(one);
  }
  const url = await serve(async (request) => {
    const text = await request.text();
    const { pathname, search } = new URL(request.url);
    const one = {
      method: request.method,
      path: `${pathname}${search}`.replace(/^\/api\/v1/, ''),
      body: text === '' ? null : parse(text, undefined, { parseNumber: BigInt }),
    };
    asked.push(one);
    const said = answerTo(one);
    if (said === null) return null;
    const { status = 200, body } = said;
    const headers = { 'content-type': 'application/json' };
    const whole = typeof body === 'string' ? body : stringify(body);
    return new Response(whole, { status, headers });
  });
  return { url, asked, of };
}

/** A real HTTP server, until the test ends. */
async function listen(service: Service): Promise<string> {
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url = '' } = request;
    let body = '';
    for await (const chunk of request) body += chunk;
    const given = body === '' ? { method } : { method, body };
    const said = await service(new Request(`http://127.0.0.1${url}`, given));
    if (said === null) return response.destroy();
    response.writeHead(said.status, Object.fromEntries(said.headers));
    response.end(await said.text());
  }
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('nobody listens');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${address.port}`;
}
