import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import type { NodeApi } from '../../../src/node/api/api.ts';
import { appWith, type Call, call } from './client.ts';
import { fakeNode, PARTNER, TOKEN } from './fake-node.ts';

const LOWER = TOKEN.toLowerCase();
const CHANNEL = `/channels/${TOKEN}/${PARTNER}`;
const JSON_TYPE = { 'content-type': 'application/json' };
const LARGE = 'x'.repeat(65_537);
const syncing: Partial<NodeApi> = { status: () => ({ status: 'syncing', blocksToSync: 5n }) };

describe('the order of checks', () => {
  /** Each row has its own fault and the next one too; the first must be named. */
  it.each<[string, Call, number, Partial<NodeApi>]>([
    ['a foreign host before an unknown URL', { path: '/x', headers: { host: 'evil' } }, 403, {}],
    ['an unknown URL before a wrong method', { path: '/x', method: 'DELETE' }, 404, {}],
    ['a bad address before a wrong method', { path: `/tokens/${LOWER}`, method: 'POST' }, 404, {}],
    ['a bad address before not ready', { path: `/tokens/${LOWER}` }, 404, syncing],
    ['a wrong method before not ready', { path: '/tokens', method: 'POST' }, 405, syncing],
    ['not ready before a large body', { path: CHANNEL, method: 'PATCH', raw: LARGE }, 503, syncing],
    [
      'a large body before its type',
      { path: CHANNEL, method: 'PATCH', raw: LARGE, headers: { 'content-type': 'text/plain' } },
      413,
      {},
    ],
    [
      'a wrong type before malformed JSON',
      { path: CHANNEL, method: 'PATCH', raw: '{', headers: { 'content-type': 'text/plain' } },
      415,
      {},
    ],
    ['malformed JSON', { path: CHANNEL, method: 'PATCH', raw: '{"state":' }, 400, {}],
    [
      'a wrong shape before conflicting fields',
      { path: CHANNEL, method: 'PATCH', json: { state: 'closed', total_deposit: 'x' } },
      400,
      {},
    ],
    [
      'conflicting fields before a missing channel',
      { path: CHANNEL, method: 'PATCH', json: { state: 'closed', total_deposit: '1' } },
      409,
      { channel: () => null },
    ],
    [
      'a missing channel before a bad value',
      { path: CHANNEL, method: 'PATCH', json: { total_deposit: '-1' } },
      404,
      { channel: () => null },
    ],
    [
      'a bad value before the money',
      { path: `/payments/${TOKEN}/${PARTNER}`, method: 'POST', json: { amount: '0' } },
      409,
      { pay: async () => ({ ok: false, code: 'insufficient_balance' }) },
    ],
  ])('is %s', async (_, request, status, changes) => {
    const answer = await call(appWith(changes), request);
    expect(answer.status).toBe(status);
    expect(answer.body).toHaveProperty('errors');
  });

  it.each<[string, Call]>([
    ['an unknown URL', { path: '/x' }],
    ['a bad address', { path: `/tokens/${LOWER}` }],
    ['a wrong method', { path: '/tokens', method: 'POST' }],
    ['the status', { path: '/status' }],
  ])('names the shutdown before %s', async (_, request) => {
    const app = appWith();
    await call(app, { path: '/shutdown', method: 'POST' });
    expect((await call(app, request)).status).toBe(503);
  });
});

describe('unknown URLs', () => {
  it.each([
    ['another version', '/api/v2/tokens'],
    ['no version', '/api/tokens'],
    ['a trailing slash', '/api/v1/tokens/'],
    ['a deeper path', `/api/v1/tokens/${TOKEN}/partners/x`],
    ['an endpoint that is not there', '/api/v1/debug'],
    ['a path that is badly encoded', '/api/v1/%E0%A4%A'],
  ])('answers 404 with errors for %s', async (_, path) => {
    const response = await appWith().request(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      errors: 'There is no such endpoint.',
      code: 'unknown_endpoint',
    });
  });
});

describe('addresses in the URL', () => {
  it.each([
    ['in lower case', LOWER],
    ['with a wrong checksum', TOKEN.replace(/A/, 'a')],
    ['without 0x', TOKEN.slice(2)],
    ['one digit short', TOKEN.slice(0, -1)],
    ['that are no hex', `0x${'z'.repeat(40)}`],
  ])('answers 404 for those %s', async (_, wrong) => {
    for (const path of [`/tokens/${wrong}`, `/channels/${TOKEN}/${wrong}`, `/payments/${wrong}`]) {
      const answer = await call(appWith(), { path });
      expect(answer).toMatchObject({ status: 404, body: { errors: expect.any(String) } });
    }
  });
});

describe('methods', () => {
  it.each([
    ['/address', 'POST', 'GET, HEAD'],
    ['/shutdown', 'GET', 'POST'],
    [`/tokens/${TOKEN}`, 'DELETE', 'GET, HEAD, PUT'],
    ['/channels', 'OPTIONS', 'GET, HEAD, PUT'],
    [CHANNEL, 'PUT', 'GET, HEAD, PATCH'],
    [`/payments/${TOKEN}/${PARTNER}`, 'PATCH', 'GET, HEAD, POST'],
    ['/payments', 'constructor', 'GET, HEAD'],
    ['/user_deposit', 'GET', 'POST'],
    ['/connections', 'PUT', 'GET, HEAD'],
    [`/connections/${TOKEN}`, 'GET', 'PUT, DELETE'],
    [`/pending_transfers/${TOKEN}`, 'DELETE', 'GET, HEAD'],
    [`/events/channels/${TOKEN}/${PARTNER}`, 'POST', 'GET, HEAD'],
    ['/notifications', 'DELETE', 'GET, HEAD'],
    [`/_testing/tokens/${TOKEN}/mint`, 'PUT', 'POST'],
  ])('answers 405 and what is allowed for %s with %s', async (path, method, allow) => {
    const { status, headers, body } = await call(appWith(), { path, method });
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow });
    expect(body).toHaveProperty('errors');
  });
});

describe('a node that is not ready', () => {
  it.each<['syncing' | 'unavailable', Partial<NodeApi>]>([
    ['syncing', syncing],
    ['unavailable', { status: () => ({ status: 'unavailable' }) }],
  ])('answers 503 while %s, except for its status', async (_, changes) => {
    const app = appWith(changes);
    for (const path of ['/address', '/version', '/tokens', '/channels', '/payments']) {
      const { status, headers, body } = await call(app, { path });
      expect({ status, retry: headers.get('retry-after') }).toEqual({ status: 503, retry: '5' });
      expect(body).toHaveProperty('errors');
    }
    expect((await call(app, { path: '/status' })).status).toBe(200);
  });
});

describe('a node that sees the chain as it was', () => {
  const reason = 'The newest block is 12 minutes old.';
  const app = appWith({ status: () => ({ status: 'unavailable', reason }) });

  it('pays nothing and says why, and its status is as documented', async () => {
    const path = `/payments/${TOKEN}/${PARTNER}`;
    const { status, body } = await call(app, { path, method: 'POST', json: { amount: '1' } });
    expect({ status, body }).toEqual({
      status: 503,
      body: {
        errors: `The chain cannot be relied on at this moment. ${reason}`,
        code: 'chain_unavailable',
        outcome: 'not_begun',
      },
    });
    expect((await call(app, { path: '/status' })).body).toEqual({ status: 'unavailable' });
  });
});

describe('a body where none is needed', () => {
  it.each<[string, string, string]>([
    ['GET', '/tokens', ''],
    ['PUT', `/tokens/${TOKEN}`, 'null'],
    ['PUT', `/tokens/${TOKEN}`, '{"a":'],
    ['POST', '/shutdown', '{}'],
    ['POST', '/shutdown', LARGE],
  ])('is not read for %s %s', async (method, path, raw) => {
    const node = fakeNode();
    const body = raw === '' ? {} : { raw };
    const { status } = await call(createApp({ node }), { method, path, ...body });
    expect([200, 201]).toContain(status);
  });

  it('needs no content type either', async () => {
    for (const headers of [{ 'content-type': 'text/plain' }, JSON_TYPE]) {
      const request = { method: 'PUT', path: `/tokens/${TOKEN}`, raw: 'null', headers };
      expect((await call(appWith(), request)).status).toBe(201);
    }
  });
});
