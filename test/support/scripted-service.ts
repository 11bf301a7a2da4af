/** A path-finding service that says what a test wants it to say, over real HTTP. */
import { createServer, type IncomingMessage } from 'node:http';
import { parse, stringify } from 'lossless-json';
import { onTestFinished } from 'vitest';
import type { Address } from '../../src/protocol/hex.ts';

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

/** Listens until the test ends. */
export async function startScripted(script: Script) {
  const asked: Asked[] = [];
  const of = (end: string) => asked.filter(({ path }) => path.split('?', 1)[0]?.endsWith(end));
  function answerTo(one: Asked): Said | null {
    const { path } = one;
    if (path === '/info') return (script.info ?? (() => info(0n)))(of('/info').length);
    if (path.endsWith('/paths')) return (script.paths ?? (() => found()))(one, of('/paths').length);
    if (path.endsWith('/feedback')) return (script.feedback ?? (() => ({ body: {} })))(one);
    return (script.iou ?? never)(one);
  }
  const server = createServer(async (request, response) => {
    const one = {
      method: request.method ?? '',
      path: pathOf(request),
      body: await bodyOf(request),
    };
    asked.push(one);
    const said = answerTo(one);
    if (said === null) return void response.destroy();
    response.writeHead(said.status ?? 200, { 'content-type': 'application/json' });
    response.end(typeof said.body === 'string' ? said.body : stringify(said.body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('nobody listens');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${address.port}`, asked, of };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/^\/api\/v1/, '');
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text === '' ? null : parse(text, undefined, { parseNumber: BigInt });
}
