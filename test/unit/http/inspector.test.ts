import { describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../src/http/app.ts';
import { type Inspector, inspectorPage } from '../../../src/http/inspector.ts';
import type { NodeApi, NodeStatus } from '../../../src/node/api/api.ts';
import { until } from '../../support/until.ts';
import { appWith } from './client.ts';

const READER = 'r'.repeat(16);
const tokens = [{ token: READER, scope: 'read', cap: null, budget: null }] as const;

/** Answers with what it was asked. */
const echoing: Inspector = {
  handle: async (request) => new Response(new URL(request.url).pathname),
};

type Given = { inspector?: Inspector | null; options?: ApiOptions; node?: Partial<NodeApi> };

async function ask(path: string, init: RequestInit = {}, given: Given = {}) {
  const { inspector = echoing, options = {}, node = {} } = given;
  const response = await appWith(node, { ...options, inspector }).request(path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the inspector below /inspector/', () => {
  it('leads from its name without a slash to its page', async () => {
    const { status, headers } = await ask('/inspector');
    expect([status, headers.get('location')]).toEqual([302, 'inspector/']);
  });

  it('shows its page, and nothing else, to a reader who follows a link from another site', async () => {
    const followed = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    expect((await ask('/inspector/', { headers: followed })).status).not.toBe(403);
    expect((await ask('/inspector', { headers: followed })).status).toBe(302);
    expect((await ask('/inspector/node', { headers: followed })).status).toBe(403);
    expect((await ask('/api/v1/tokens', { headers: followed })).status).toBe(403);
    for (const changed of [
      { 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
      { origin: 'https://evil.com' },
    ])
      expect((await ask('/inspector/', { headers: { ...followed, ...changed } })).status).toBe(403);
  });

  it('gets the requests below its path that are not for the page', async () => {
    const { text, headers } = await ask('/inspector/actors/channel:1/history');
    expect(text).toBe('/inspector/actors/channel:1/history');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('puts 32 answers together at a time; the next is sent away until one is given', async () => {
    const finishers: (() => void)[] = [];
    const handle = () =>
      new Promise<Response>((resolve) => finishers.push(() => resolve(new Response('here'))));
    const app = appWith({}, { inspector: { handle } });
    const get = () => app.request('/inspector/actors');
    const answers = Array.from({ length: 32 }, get);
    await until(() => finishers.length === 32);
    expect((await get()).status).toBe(503);
    for (const finish of finishers.splice(0)) finish();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(32).fill(200));
    const next = get();
    await until(() => finishers.length === 1);
    finishers[0]?.();
    expect((await next).status).toBe(200);
  });

  it('answers while the node syncs', async () => {
    const status = (): NodeStatus => ({ status: 'syncing', blocksToSync: 7n });
    expect((await ask('/inspector/node', {}, { node: { status } })).status).toBe(200);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('takes no %s', async (method) => {
    for (const path of ['/inspector', '/inspector/', '/inspector/events']) {
      const { status, headers } = await ask(path, { method });
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('wants a token that may read, for everything but the page', async () => {
    const options = { tokens };
    const withToken = { headers: { authorization: `Bearer ${READER}` } };
    expect((await ask('/inspector/node', {}, { options })).status).toBe(401);
    expect((await ask('/inspector/node', withToken, { options })).status).toBe(200);
    expect((await ask('/inspector', {}, { options })).status).toBe(302);
    expect((await ask('/inspector/', {}, { options })).status).not.toBe(401);
    expect((await ask('/inspector/assets/none.js', {}, { options })).status).toBe(404);
  });

  it.each<[string, Record<string, string>]>([
    ['a foreign host name', { host: 'evil.example' }],
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['a request that another site caused', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses %s, for the page too', async (_, headers) => {
    for (const path of ['/inspector', '/inspector/', '/inspector/node', '/inspector/events'])
      expect([path, (await ask(path, { headers })).status]).toEqual([path, 403]);
  });

  it('ends one answer and nothing else when the inspector throws', async () => {
    const inspector = {
      handle: async () => {
        throw new Error('a fault with 0xsecret');
      },
    };
    const app = appWith({}, { inspector });
    const broken = await app.request('/inspector/node');
    expect([broken.status, await broken.text()]).toEqual([500, 'Internal server error']);
    expect((await app.request('/api/v1/address')).status).toBe(200);
  });

  it('is not there when it is turned off', async () => {
    for (const path of ['/inspector', '/inspector/', '/inspector/node'])
      expect((await ask(path, {}, { inspector: null })).status).toBe(404);
  });

  it.each(['..%2findex.html', '%2e%2e/index.html', '.hidden', 'a%00b.js', 'x/../../index.html'])(
    'serves no file of the name %s',
    async (name) => {
      expect((await ask(`/inspector/assets/${name}`)).text).not.toContain('<html');
    },
  );

  it('says what to do when its page is not built', async () => {
    const answer = await inspectorPage('index.html', ['./not-built/']);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      errors: expect.stringContaining('is not built: run "npm run build"'),
      code: 'unknown_endpoint',
    });
  });
});
