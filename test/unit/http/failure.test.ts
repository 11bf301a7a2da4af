import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../../src/http/answers/errors.ts';
import { createApp } from '../../../src/http/app.ts';
import { CODES } from '../../../src/protocol/codes.ts';
import { until } from '../../support/until.ts';
import { call } from './client.ts';
import { fakeNode, NETWORK, PARTNER, TOKEN } from './fake-node.ts';

const FAULT = new Error('disk full at /home/alice/node.db, secret 0x5e5e5e');
const REGISTER = { method: 'PUT', path: `/tokens/${TOKEN}` };
const CLOSE = {
  method: 'PATCH',
  path: `/channels/${TOKEN}/${PARTNER}`,
  json: { state: 'closed' },
};

describe('an internal failure', () => {
  it.each<[string, Parameters<typeof fakeNode>[0]]>([
    ['thrown by a query', { tokens: () => throwing(FAULT) }],
    ['thrown as something that is no Error', { tokens: () => throwing('broken') }],
    ['met by the node elsewhere', { isBroken: () => true }],
  ])('%s is answered with 500 and nothing but the plain sentence', async (_, changes) => {
    const app = createApp({ node: fakeNode(changes) });
    const { status, body, headers } = await call(app, { path: '/tokens' });
    expect({ status, body }).toEqual({ status: 500, body: 'Internal server error' });
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
  });

  it('keeps the probes, which say that the node is not well, and says why to every caller', async () => {
    const node = fakeNode({ tokens: () => throwing(FAULT) });
    const app = createApp({ node });
    for (const path of ['/livez', '/readyz']) expect((await call(app, { path })).status).toBe(200);
    expect((await call(app, { path: '/tokens' })).status).toBe(500);
    for (const path of ['/livez', '/readyz', '/address', '/status'])
      expect(await call(app, { path })).toMatchObject({
        status: 503,
        body: { errors: 'The node is shutting down. It met an internal failure.' },
      });
  });

  it('that rejects a command is answered with 500', async () => {
    const app = createApp({ node: fakeNode({ registerToken: () => Promise.reject(FAULT) }) });
    expect((await call(app, REGISTER)).status).toBe(500);
  });

  it('is reported once, and every later call is refused', async () => {
    const reported: unknown[] = [];
    const node = fakeNode({ tokens: () => throwing(FAULT), isBroken: () => reported.length > 0 });
    const options = { onInternalError: (error: unknown) => reported.push(error) };
    const app = createApp({ node, options });
    expect((await call(app, { path: '/tokens' })).status).toBe(500);
    for (const path of ['/tokens', '/status', '/address', '/nothing']) {
      expect((await call(app, { path })).status).toBe(503);
    }
    expect(reported).toEqual([FAULT]);
  });

  it('that the node met while a call waited keeps that call from being made', async () => {
    let isBroken = false;
    const finishers: (() => void)[] = [];
    const node = fakeNode({
      isBroken: () => isBroken,
      registerToken: () =>
        new Promise((resolve) => {
          finishers.push(() => resolve({ ok: true, value: NETWORK }));
        }),
    });
    const app = createApp({ node });
    const first = call(app, REGISTER);
    const waiting = call(app, CLOSE);
    await until(() => finishers.length === 1);
    isBroken = true;
    finishers[0]?.();
    expect([(await first).status, (await waiting).status]).toEqual([201, 500]);
    expect(node.asked).toEqual([]);
  });

  it('of several calls at once is reported once', async () => {
    const reported: unknown[] = [];
    const onInternalError = (error: unknown) => reported.push(error);
    const node = fakeNode({ registerToken: () => Promise.reject(FAULT) });
    const app = createApp({ node, options: { apiConcurrency: 2, onInternalError } });
    const both = await Promise.all([1, 2].map(() => call(app, REGISTER)));
    expect(both.map(({ status }) => status)).toEqual([500, 500]);
    expect(reported).toEqual([FAULT]);
  });

  it('refuses the calls that wait', async () => {
    let fail: (() => void) | null = null;
    const node = fakeNode({
      registerToken: () =>
        new Promise((_, reject) => {
          fail = () => reject(FAULT);
        }),
    });
    const app = createApp({ node });
    const first = call(app, REGISTER);
    const waiting = call(app, { path: '/tokens' });
    await until(() => {
      fail?.();
      return fail !== null;
    });
    expect([(await first).status, (await waiting).status]).toEqual([500, 503]);
  });
});

describe('a node that is asked to stop', () => {
  it('answers a call that was amid its checks with 503, and has not failed', async () => {
    const reported: unknown[] = [];
    let isGone = false;
    let goOn = () => {};
    const node = fakeNode({
      // As of a node whose end has closed everything.
      isBroken: () => isGone,
      async registerToken() {
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
        throw new Error('the node is broken');
      },
    });
    const ending = new AbortController();
    const onInternalError = (error: unknown) => reported.push(error);
    const app = createApp({ node, options: { ending, onInternalError } });
    const [first, waiting] = [call(app, REGISTER), call(app, CLOSE)];
    ending.abort();
    expect((await waiting).status).toBe(503);
    isGone = true;
    goOn();
    expect(await first).toMatchObject({ status: 503, body: { errors: expect.any(String) } });
    expect(reported).toEqual([]);
    expect(node.asked).toEqual([]);
  });
});

describe('the error table', () => {
  const documented = [400, 401, 402, 403, 404, 405, 409, 413, 415, 422, 429, 501, 503];

  it.each(CODES)('has a documented status and a sentence for %s', (code) => {
    expect(documented).toContain(ERRORS[code].status);
    expect(ERRORS[code].text).toMatch(/^[A-Z].*\.$/);
  });
});

function throwing(error: unknown): never {
  throw error;
}
