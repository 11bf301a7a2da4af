/**
 * One address for the inspectors of all nodes of a devnet, with a page over all of them. A browser may ask
 * only where its page came from: so what the nodes answer is passed on from here, unchanged and read-only.
 */
import { Hono } from 'hono';
import { failure, JSON_HEADERS, PROTECTION, refuse } from '../http/answers.ts';
import type { ApiEnv } from '../http/calls.ts';
import { createDefence } from '../http/defence.ts';
import { inspectorAsset, inspectorPage } from '../http/inspector.ts';
import { type ApiServer, serve } from '../http/server.ts';
import type { DevnetNodes } from '../inspector/wire.ts';
import type { Address } from '../protocol/hex.ts';
import { mergedStream, positionsIn } from './inspector-stream.ts';

export type InspectorSite = {
  /** `api`: without a path. */
  nodes: readonly { name: string; address: Address; api: string }[];
  tokens: DevnetNodes['tokens'];
  /** 0 takes a free port. */
  port: number;
};

const ROOT = '/inspector/';
const STREAM_HEADERS = { ...PROTECTION, 'content-type': 'text/event-stream; charset=utf-8' };
const ASKED = ['accept', 'last-event-id'];
const ANSWERED = [
  'content-type',
  'content-security-policy',
  'content-disposition',
  'cache-control',
  'x-content-type-options',
  'cross-origin-resource-policy',
];

/** Listens on loopback. `close` ends the streams that are passed on. */
export async function serveInspector(
  site: InspectorSite,
): Promise<Pick<ApiServer, 'url' | 'close'>> {
  const ending = new AbortController();
  const app = createSite(site, ending.signal);
  const server = await serve({ app, port: site.port });
  return {
    url: server.url,
    close() {
      ending.abort();
      return server.close();
    },
  };
}

function createSite({ nodes, tokens }: InspectorSite, ending: AbortSignal): Hono<ApiEnv> {
  const defend = createDefence({ allowedHosts: [], isNamedOrigin: () => false });
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    const refusal = defend(c.req.raw.headers, c.env.boundHost);
    if (refusal !== null) return refuse(refusal);
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD')
      return refuse(failure('method_not_allowed'), { allow: 'GET, HEAD' });
    return next();
  });
  for (const path of ['/', '/inspector'])
    app.get(path, () => new Response(null, { status: 302, headers: { location: ROOT } }));
  app.get(ROOT, () => inspectorPage('network.html'));
  app.get(`${ROOT}assets/:name`, (c) => inspectorAsset(c.req.param('name')));
  app.get(
    `${ROOT}nodes`,
    () => new Response(nodesText({ nodes, tokens }), { headers: JSON_HEADERS }),
  );
  app.get(`${ROOT}events`, (c) => {
    // Nobody would read its body, nor end it.
    if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS });
    const { raw } = c.req;
    const after = positionsIn(c.req.header('last-event-id') ?? '');
    const signal = AbortSignal.any([raw.signal, ending]);
    const { search } = new URL(c.req.url);
    return new Response(mergedStream({ nodes, search, after, signal }), {
      headers: STREAM_HEADERS,
    });
  });
  app.get(`${ROOT}nodes/:name/*`, (c) => {
    const node = nodes.find(({ name }) => name === c.req.param('name'));
    if (node === undefined) return refuse(failure('unknown_endpoint'));
    const { pathname, search } = new URL(c.req.url);
    const rest = pathname.slice(`${ROOT}nodes/${c.req.param('name')}/`.length);
    const { raw } = c.req;
    return passOn(raw, `${node.api}${ROOT}${rest}${search}`, AbortSignal.any([raw.signal, ending]));
  });
  app.notFound(() => refuse(failure('unknown_endpoint')));
  return app;
}

function nodesText({ nodes, tokens }: Pick<InspectorSite, 'nodes' | 'tokens'>): string {
  const view: DevnetNodes = {
    nodes: nodes.map(({ name, address }) => ({ name, address, base: `nodes/${name}/` })),
    tokens: tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
  };
  return JSON.stringify(view);
}

async function passOn(request: Request, url: string, signal: AbortSignal): Promise<Response> {
  try {
    const { method } = request;
    const answer = await fetch(url, { method, headers: chosen(request.headers, ASKED), signal });
    const headers = { ...PROTECTION, ...chosen(answer.headers, ANSWERED) };
    return new Response(answer.body, { status: answer.status, headers });
  } catch {
    const errors = 'The node does not answer: has it ended?';
    return new Response(JSON.stringify({ errors }), { status: 502, headers: JSON_HEADERS });
  }
}

function chosen(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
