import { describe, expect, it } from 'vitest';
import { type ApiOptions, createApp } from '../../../src/http/app.ts';
import { parseTokens } from '../../../src/http/checks/tokens.ts';
import { call } from './client.ts';
import { fakeNode, PARTNER, TOKEN } from './fake-node.ts';

const WATCHER = 'watcher-0123456789';
const READER = 'reader-0123456789';
const PAYER = 'payer-0123456789';
const ADMIN = 'admin-0123456789';
const FILE = `
# who may do what
${WATCHER} metrics
${READER} read

${PAYER}   pay max 100
${ADMIN}
`;

function guarded(parts: ApiOptions = {}) {
  const parsed = parseTokens(FILE);
  if (!parsed.ok) throw new Error(parsed.message);
  const node = fakeNode();
  return { app: createApp({ node, options: { ...parts, tokens: parsed.value } }), node };
}

const never = () => Promise.reject(new Error('nobody asks this'));
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const SHUTDOWN = { method: 'POST', path: '/shutdown' };
const PAYMENT = { method: 'POST', path: `/payments/${TOKEN}/${PARTNER}` };
const CHANNEL = `/channels/${TOKEN}/${PARTNER}`;

describe('the bearer token', () => {
  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['a part of one', { authorization: `Bearer ${ADMIN.slice(0, -1)}` }],
    ['another scheme', { authorization: `Basic ${ADMIN}` }],
    ['an empty one', { authorization: '' }],
    ['two at once', { authorization: `Bearer ${ADMIN}, Bearer ${ADMIN}` }],
    ['a line of the file', { authorization: `Bearer ${READER} read` }],
  ])('is demanded: %s is answered 401', async (_, headers) => {
    const { app, node } = guarded();
    for (const request of [SHUTDOWN, { path: '/tokens' }, { path: '/nothing' }]) {
      const answer = await call(app, { ...request, headers });
      expect(answer).toMatchObject({ status: 401, body: { errors: expect.any(String) } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect(node.asked).toEqual([]);
  });

  it.each<[string, string, string, string, unknown, number]>([
    ['metrics', WATCHER, 'GET', '/metrics', undefined, 200],
    ['read', READER, 'GET', '/metrics', undefined, 200],
    ['pay', PAYER, 'GET', '/metrics', undefined, 200],
    ['admin', ADMIN, 'GET', '/metrics', undefined, 200],
    ['read', READER, 'GET', '/tokens', undefined, 200],
    ['read', READER, 'HEAD', '/tokens', undefined, 200],
    ['read', READER, 'POST', PAYMENT.path, { amount: '1' }, 403],
    ['read', READER, 'PATCH', CHANNEL, { state: 'closed' }, 403],
    ['pay', PAYER, 'GET', '/payments', undefined, 200],
    ['pay', PAYER, 'POST', PAYMENT.path, { amount: '100' }, 200],
    ['pay', PAYER, 'PUT', `/tokens/${TOKEN}`, undefined, 403],
    ['pay', PAYER, 'POST', '/shutdown', undefined, 403],
    ['admin', ADMIN, 'GET', '/tokens', undefined, 200],
    ['admin', ADMIN, 'POST', PAYMENT.path, { amount: '101' }, 200],
    ['admin', ADMIN, 'PATCH', CHANNEL, { state: 'closed' }, 200],
    ['admin', ADMIN, 'POST', '/shutdown', undefined, 200],
  ])('with scope %s (%s): %s %s', async (_, token, method, path, json, status) => {
    const { app, node } = guarded();
    const answer = await call(app, { method, path, json, headers: bearer(token) });
    expect(answer.status).toBe(status);
    if (status !== 403) return;
    expect(answer.body).toEqual({
      errors: 'The bearer token does not allow this call.',
      code: 'out_of_scope',
      outcome: 'not_begun',
    });
    expect(node.asked).toEqual([]);
  });

  it('of the scope metrics opens the figures alone, of all that needs a token', async () => {
    const parts = {
      inspector: { handle: never },
      wallet: never,
      rpc: { url: 'http://127.0.0.1:1', methods: [] },
    };
    const { app, node } = guarded(parts);
    const answered: string[] = [];
    for (const { path } of app.routes)
      for (const method of ['GET', 'PUT', 'POST', 'PATCH', 'DELETE']) {
        const place = path.replace(':token', TOKEN).replace(':partner', PARTNER);
        const anonymous = await app.request(place, { method });
        if (anonymous.status !== 401) continue;
        const { status } = await app.request(place, { method, headers: bearer(WATCHER) });
        if (status !== 403 && status !== 405) answered.push(`${method} ${path} ${status}`);
      }
    expect(answered).toEqual(['GET /metrics 200', 'GET /api/v1/metrics 200']);
    expect(node.asked).toEqual([]);
  });

  it('stops a payment above its cap before it reaches the node', async () => {
    const { app, node } = guarded();
    const answer = await call(app, { ...PAYMENT, json: { amount: '101' }, headers: bearer(PAYER) });
    expect(answer).toMatchObject({
      status: 403,
      body: {
        errors:
          'The amount is above what the bearer token allows. One payment may be of 100 at most.',
      },
    });
    expect(node.asked).toEqual([]);
  });

  it.each(['bearer', 'BEARER', 'Bearer '])('is taken after the scheme "%s"', async (scheme) => {
    const { app } = guarded();
    const headers = { authorization: `${scheme} ${READER}` };
    expect((await call(app, { path: '/tokens', headers })).status).toBe(200);
  });

  it('has its cap applied only after the shape of a payment is checked', async () => {
    const { app } = guarded();
    const wrong = await call(app, { ...PAYMENT, json: { amount: 'x' }, headers: bearer(PAYER) });
    expect(wrong.status).toBe(400);
  });

  it('gets 404 and 405 for unknown URLs and methods whatever its scope', async () => {
    const { app } = guarded();
    const headers = bearer(READER);
    expect((await call(app, { path: '/nothing', headers })).status).toBe(404);
    expect((await call(app, { ...SHUTDOWN, method: 'PUT', headers })).status).toBe(405);
  });
});

describe('a file of tokens', () => {
  it('with one bare token gives it everything', () => {
    const value = [{ token: ADMIN, scope: 'admin', cap: null, budget: null }];
    expect(parseTokens(`${ADMIN}\n`)).toEqual({ ok: true, value });
  });

  it('may name scopes and caps, with Windows line ends too', () => {
    expect(parseTokens(`${READER} read\r\n${PAYER} pay max 7\r\n`)).toEqual({
      ok: true,
      value: [
        { token: READER, scope: 'read', cap: null, budget: null },
        { token: PAYER, scope: 'pay', cap: 7n, budget: null },
      ],
    });
  });

  it('may limit what is paid in a day, besides or instead of one payment', () => {
    const parsed = parseTokens(`${PAYER} pay max 7 daily 50\n${READER} pay daily 9`);
    const caller = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(parsed).toEqual({
      ok: true,
      value: [
        { token: PAYER, scope: 'pay', cap: 7n, budget: { caller, perDay: 50n } },
        { token: READER, scope: 'pay', cap: null, budget: { caller, perDay: 9n } },
      ],
    });
    const [one, other] = parsed.ok ? parsed.value : [];
    expect(one?.budget?.caller).not.toBe(other?.budget?.caller);
  });

  it.each([
    ['', 'no line has one'],
    ['# only a comment', 'no line has one'],
    ['short', 'line 1 must begin with a token of at least 16'],
    [`${ADMIN} owner`, 'line 1 must be TOKEN'],
    [`${ADMIN} read\n${PAYER} pay 5`, 'line 2 must be TOKEN'],
    [`${PAYER} pay max 5 6`, 'line 1 must be TOKEN'],
    [`${PAYER} pay max 1e18`, 'line 1 must have a whole number'],
    [`${PAYER} pay max ${2n ** 256n}`, 'line 1 must have a whole number'],
    [`${PAYER} pay daily 5 daily 6`, 'line 1 must be TOKEN'],
    [`${PAYER} pay daily x`, 'line 1 must have a whole number after "daily"'],
    [`${ADMIN} daily 5`, 'line 1 may have "daily" only with the scope pay'],
    [`${ADMIN} max 5`, 'line 1 may have "max" only with the scope pay'],
    [`${WATCHER} metrics daily 5`, 'line 1 may have "daily" only with the scope pay'],
    [`${READER} read max 5`, 'line 1 may have "max" only with the scope pay'],
    [`${ADMIN}\n\n${ADMIN} read`, 'line 3 repeats the token'],
  ])('is refused without repeating it: %j', (text, message) => {
    const parsed = parseTokens(text);
    expect(parsed).toMatchObject({ ok: false, message: expect.stringContaining(message) });
    if (!parsed.ok)
      for (const token of [ADMIN, PAYER, READER, WATCHER])
        expect(parsed.message).not.toContain(token);
  });
});
