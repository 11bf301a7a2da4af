/**
 * The actions on a devnet over HTTP, at the address of its inspector: `/devnet/`. Every action is a POST; calls of a
 * node's API are forwarded from here as well, because a page may only call the address it came from.
 */

import { Hono } from 'hono';
import { ERRORS } from '../../http/answers/errors.ts';
import { failure, JSON_HEADERS, ok, PROTECTION, refuse } from '../../http/answers/responses.ts';
import { BODY_LIMIT, limitBody, readJsonText } from '../../http/checks/body.ts';
import type { ApiEnv } from '../../http/checks/call.ts';
import type { Result } from '../../protocol/codes.ts';
import { DEEDS, type Play } from './play.ts';

export const PLAY_ROOT = '/devnet/';

/** Methods that have a body. */
const WITH_BODY = ['PUT', 'PATCH', 'POST'];

/** The routes below `PLAY_ROOT`. */
export function playRoutes(play: Play): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.get('/', () => ok(play.view()));
  app.post('/mine/:blocks', async (c) => answered(await play.mine(Number(c.req.param('blocks')))));
  app.post('/pace/:perSecond', (c) => answered(play.pace(Number(c.req.param('perSecond')))));
  app.get('/logs/:name', (c) => {
    const log = play.logOf(c.req.param('name'), positionIn(c.req.query('after')));
    return log === null ? refuse(failure('unknown_endpoint')) : ok(log);
  });
  app.get('/network', async () => answered(await play.save()));
  app.post('/network', limitBody(BODY_LIMIT), async (c) => {
    const text = await readJsonText(c.req.raw);
    return text.ok ? answered(await play.load(text.value)) : refuse(text);
  });
  app.post('/nodes', async () => answered(await play.add()));
  app.post('/nodes/:name/:deed', async (c) => {
    const deed = DEEDS.find((known) => known === c.req.param('deed'));
    if (deed === undefined) return refuse(failure('unknown_endpoint'));
    return answered(await play.act(c.req.param('name'), deed));
  });
  app.all('/nodes/:name/api/v1/*', limitBody(BODY_LIMIT), (c) => {
    const name = c.req.param('name');
    const { pathname, search } = new URL(c.req.url);
    const rest = pathname.slice(`${PLAY_ROOT}nodes/${name}`.length);
    const api = play.apiOf(name);
    if (api === null) return refuse(failure('unknown_endpoint', `There is no node ${name}.`));
    return passOn(c.req.raw, `${api}${rest}${search}`);
  });
  return app;
}

/** The number of a line; 0 when there is none, or no number. */
function positionIn(text = '0'): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

function answered(result: Result<unknown>): Response {
  if (result.ok) return ok(result.value);
  const { code, detail: errors } = result;
  // The sentences of the node's API speak of calls and amounts: a deed says its own reason.
  return errors === undefined ? refuse(result) : ok({ errors, code }, ERRORS[code].status);
}

/** Forwards a call of a node's API without a timeout: a payment may take as long as its lock. */
async function passOn(request: Request, url: string): Promise<Response> {
  const { method, signal } = request;
  const body = WITH_BODY.includes(method) ? await readJsonText(request) : null;
  if (body !== null && !body.ok) return refuse(body);
  const sent =
    body === null ? {} : { body: body.value, headers: { 'content-type': 'application/json' } };
  try {
    const answer = await fetch(url, { method, signal, ...sent });
    const type = answer.headers.get('content-type') ?? 'application/json';
    const headers = { ...PROTECTION, 'content-type': type };
    return new Response(answer.body, { status: answer.status, headers });
  } catch {
    const errors = 'The node does not answer: has it been stopped?';
    return new Response(JSON.stringify({ errors }), { status: 502, headers: JSON_HEADERS });
  }
}
