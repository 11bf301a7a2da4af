/**
 * Serves the inspectors of all nodes of a devnet, or of a simulation, at one address, with a page that shows all of
 * them. A page may only call the address it came from: so the nodes' answers are forwarded from here, unchanged and
 * read-only. The page can also move the time of a simulation, and act on the nodes of a devnet.
 */

import { Hono } from 'hono';
import type { Address } from '../../basics/hex.ts';
import { EVENT_STREAM_HEADERS } from '../../http/answers/event-stream.ts';
import { failure, JSON_HEADERS, ok, PROTECTION, refuse } from '../../http/answers/responses.ts';
import { limitBody, readJsonText } from '../../http/checks/body.ts';
import type { ApiEnv } from '../../http/checks/call.ts';
import { createDefence } from '../../http/checks/defence.ts';
import { inspectorAsset, inspectorPage } from '../../http/inspector.ts';
import { type ApiServer, serve } from '../../http/server.ts';
import type { DevnetNodes, TimeView } from '../../inspector/devnet-wire.ts';
import { type AskNode, mergedStream, positionsIn, type StreamedNode } from './inspector-stream.ts';
import type { Play } from './play.ts';
import { PLAY_ROOT, playRoutes } from './play-routes.ts';

export type InspectorSite = {
  /** They may grow while the site is served. */
  nodes: readonly SiteNode[];
  tokens: DevnetNodes['tokens'];
  /** Control over the time of a simulation; absent: time passes by itself. */
  time?: SiteTime;
  /** The actions on a devnet's nodes and chain; absent: there are none. */
  play?: Play;
  /** 0 takes a free port. */
  port: number;
};

type SiteNode = StreamedNode & { address: Address };
type SiteTime = {
  view(): TimeView;
  /** Null when the text is no command. Otherwise the time when the command is done, or after a while. */
  command(text: string): Promise<TimeView> | null;
};

const ROOT = '/inspector/';
const TIME = `${ROOT}time`;
/** The paths to which links from other sites may lead. */
const PAGES: readonly string[] = ['/', '/inspector', ROOT];
/** In bytes. */
const LONGEST_COMMAND = 1_000;
const ASKED = ['accept', 'last-event-id'];
const ANSWERED = [
  'content-type',
  'content-security-policy',
  'content-disposition',
  'cache-control',
  'x-content-type-options',
  'cross-origin-resource-policy',
];

/** Listens on loopback. `close` ends the forwarded streams. */
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

/** Asks the inspector of the node at `api`, a URL without a path. */
export function askOver(api: string): AskNode {
  return (path, request) => fetch(`${api}${ROOT}${path}`, request);
}

function createSite(site: InspectorSite, ending: AbortSignal): Hono<ApiEnv> {
  const { nodes, time, play } = site;
  const defend = createDefence({ allowedHosts: [], isNamedOrigin: () => false });
  const app = new Hono<ApiEnv>();
  app.use(async (c, next) => {
    const guest = PAGES.includes(c.req.path) ? 'page' : null;
    const refusal = defend(c.req.raw.headers, c.env.boundHost, guest);
    if (refusal !== null) return refuse(refusal);
    const isCommand = time !== undefined && c.req.path === TIME && c.req.method === 'POST';
    const isPlay = play !== undefined && c.req.path.startsWith(PLAY_ROOT);
    if (isCommand || isPlay) return next();
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD')
      return refuse({ ...failure('method_not_allowed'), headers: { allow: 'GET, HEAD' } });
    return next();
  });
  for (const path of ['/', '/inspector'])
    app.get(path, () => new Response(null, { status: 302, headers: { location: ROOT } }));
  app.get(ROOT, () => inspectorPage('network.html'));
  app.get(`${ROOT}assets/:name`, (c) => inspectorAsset(c.req.param('name')));
  app.get(`${ROOT}nodes`, () => new Response(nodesText(site), { headers: JSON_HEADERS }));
  if (play !== undefined) app.route(PLAY_ROOT, playRoutes(play));
  if (time !== undefined) {
    app.get(TIME, () => ok(time.view()));
    app.post(TIME, limitBody(LONGEST_COMMAND), (c) => moveTime(time, c.req.raw));
  }
  app.get(`${ROOT}events`, (c) => {
    // The body of an answer to HEAD is never read, and its stream would never end.
    if (c.req.method === 'HEAD') return new Response(null, { headers: EVENT_STREAM_HEADERS });
    const { raw } = c.req;
    const after = positionsIn(c.req.header('last-event-id') ?? '');
    const signal = AbortSignal.any([raw.signal, ending]);
    const { search } = new URL(c.req.url);
    return new Response(mergedStream({ nodes, search, after, signal }), {
      headers: EVENT_STREAM_HEADERS,
    });
  });
  app.get(`${ROOT}nodes/:name/*`, (c) => {
    const node = nodes.find(({ name }) => name === c.req.param('name'));
    if (node === undefined) return refuse(failure('unknown_endpoint'));
    const { pathname, search } = new URL(c.req.url);
    const rest = pathname.slice(`${ROOT}nodes/${c.req.param('name')}/`.length);
    const { raw } = c.req;
    // A stream has to be ended with the site, because it never ends by itself. Other answers are not cut off: the page
    // would show an error.
    const signal = rest === 'events' ? AbortSignal.any([raw.signal, ending]) : raw.signal;
    return passOn(raw, node, `${rest}${search}`, signal);
  });
  app.notFound(() => refuse(failure('unknown_endpoint')));
  return app;
}

async function moveTime(time: SiteTime, request: Request): Promise<Response> {
  const text = await readJsonText(request);
  if (!text.ok) return refuse(text);
  const moved = time.command(text.value);
  return moved === null ? refuse(failure('invalid_shape')) : ok(await moved);
}

function nodesText({ nodes, tokens, time, play }: Omit<InspectorSite, 'port'>) {
  const view: DevnetNodes = {
    ...(time === undefined ? {} : { hasTime: true }),
    ...(play === undefined ? {} : { canPlay: true }),
    nodes: nodes.map(({ name, address }) => ({ name, address, base: `nodes/${name}/` })),
    tokens: tokens.map(({ address, symbol, decimals }) => ({ address, symbol, decimals })),
  };
  return JSON.stringify(view);
}

async function passOn(
  request: Request,
  { ask }: SiteNode,
  path: string,
  signal: AbortSignal,
): Promise<Response> {
  try {
    const { method } = request;
    const answer = await ask(path, { method, headers: chosen(request.headers, ASKED), signal });
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
