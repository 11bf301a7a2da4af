/** The HTTP API of the path-finding service, protocol section 7.1. Calls spend none of its money. */
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { stringify } from 'lossless-json';
import type { GenericSchema } from 'valibot';
import type { Address } from '../../basics/hex.ts';
import type { KnownNetwork, NetworkBook } from './book.ts';
import type { Cashier } from './cashier.ts';
import type { Feedback } from './feedback.ts';
import type { Finder } from './finder.ts';
import type { NodePresence } from './presence.ts';
import { REFUSALS, type RefusedRequest, refusedRequest } from './refusals.ts';
import * as requests from './requests.ts';

export type AppParts = {
  book: NetworkBook;
  presence: NodePresence;
  finder: Finder;
  feedback: Feedback;
  /** Null: the service is free. */
  cashier: Cashier | null;
  /** The object of `GET /info`. */
  info: () => Record<string, unknown>;
  onInternalError: (error: unknown) => void;
};
type Checked<T> = { ok: true; value: T } | RefusedRequest;

/** Bytes of the largest body that is read. */
const BODY_LIMIT = 65_536;
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function createPathfindingApp(parts: AppParts): Hono {
  const { book, presence, finder, feedback, cashier } = parts;
  const app = new Hono();
  const onError = () =>
    refuse(refusedRequest('invalid_request', { body: `more than ${BODY_LIMIT} bytes` }));
  app.use(bodyLimit({ maxSize: BODY_LIMIT, onError }));

  app.get('/api/v1/info', () => answer(parts.info()));
  app.get('/api/v1/online_addresses', () => answer(presence.online()));
  app.get('/api/v1/address/:address/metadata', (c) => {
    const address = requests.addressIn(c.req.param('address'));
    if (address === null) return refuse(refusedRequest('invalid_address'));
    // Nodes of this network have no names besides their addresses.
    if (!presence.isKnown(address)) return refuse(refusedRequest('not_online'));
    return answer({ user_id: '', displayname: '', capabilities: '' });
  });
  app.post('/api/v1/:network/paths', async (c) => {
    const network = networkOf(book, c);
    if (!network.ok) return refuse(network);
    const request = await bodyOf(c, requests.pathsRequest);
    if (!request.ok) return refuse(request);
    const found = await finder.find(network.value, request.value);
    if (!found.ok) return refuse(found);
    const result = found.paths.map(({ path, estimatedFee }) => ({
      path,
      address_metadata: {},
      estimated_fee: estimatedFee,
    }));
    return answer({ result, feedback_token: found.feedbackToken });
  });
  app.post('/api/v1/:network/feedback', async (c) => {
    const network = networkOf(book, c);
    if (!network.ok) return refuse(network);
    const request = await bodyOf(c, requests.feedbackRequest);
    if (!request.ok) return refuse(request);
    const isTaken = await feedback.judge(network.value.address, request.value);
    return answer({}, isTaken ? 200 : 400);
  });
  app.get('/api/v1/:network/suggest_partner', (c) => {
    const network = networkOf(book, c);
    return network.ok ? answer(network.value.graph.suggest(presence.uptimeOf)) : refuse(network);
  });
  app.get('/api/v1/:network/payment/iou', (c) => {
    const network = networkOf(book, c);
    if (!network.ok) return refuse(network);
    const query = good(requests.iouQuery, c.req.query());
    if (!query.ok) return refuse(query);
    const last = cashier?.last(query.value) ?? { ok: true, iou: null };
    if (!last.ok) return refuse(last);
    return answer({ last_iou: last.iou }, last.iou === null ? 404 : 200);
  });
  app.notFound(() =>
    refuse(refusedRequest('invalid_request', { url: 'there is no such endpoint' }), 404),
  );
  app.onError((error) => {
    parts.onInternalError(error);
    return new Response('Internal server error', { status: 500 });
  });
  return app;
}

/** The token network in the URL, given by its own address or that of its token. */
function networkOf(book: NetworkBook, c: Context): Checked<KnownNetwork> {
  const address: Address | null = requests.addressIn(c.req.param('network'));
  if (address === null) return refusedRequest('invalid_network');
  const network = book.find(address);
  return network === null ? refusedRequest('unknown_network') : { ok: true, value: network };
}

async function bodyOf<T>(c: Context, schema: GenericSchema<unknown, T>): Promise<Checked<T>> {
  if (!JSON_TYPE.test(c.req.header('content-type') ?? ''))
    return refusedRequest('invalid_request', { body: 'must be sent as application/json' });
  return good(schema, requests.jsonIn(await c.req.text()));
}

function good<T>(schema: GenericSchema<unknown, T>, value: unknown): Checked<T> {
  const checked = requests.checkedBy(schema, value);
  return checked.ok ? checked : refusedRequest('invalid_request', checked.fields);
}

function answer(value: unknown, status = 200): Response {
  return new Response(stringify(value), { status, headers: HEADERS });
}

function refuse({ refusal, details = {} }: RefusedRequest, status?: number): Response {
  const { code, text, status: usual } = REFUSALS[refusal];
  return answer({ errors: text, error_code: code, error_details: details }, status ?? usual);
}
