import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appWith, call } from './client.ts';
import { TOKEN } from './fake-node.ts';

const SHUTDOWN = { method: 'POST', path: '/shutdown' };

describe('the host name', () => {
  it.each([
    'localhost',
    'localhost:5001',
    'LOCALHOST:5001',
    '127.0.0.1',
    '127.0.0.1:65535',
    '[::1]',
    '[::1]:5001',
    'node.example',
    'node.example:8443',
    '192.168.7.7:5001',
  ])('is allowed: %s', async (host) => {
    const app = appWith({}, { allowedHosts: ['Node.example'] });
    const response = await app.request(
      '/api/v1/tokens',
      { headers: { host } },
      {
        boundHost: '192.168.7.7',
      },
    );
    expect(response.status).toBe(200);
  });

  it.each([
    'evil.com',
    'evil.com:5001',
    'localhost.evil.com',
    '127.0.0.1.evil.com',
    'localhost:5001.evil.com',
    'evil.com@localhost',
    'localhost@evil.com',
    'localhost, evil.com',
    '192.168.1.1:5001',
    '[::2]:5001',
    '::1',
    ':5001',
    '',
  ])('is refused with 403: %s', async (host) => {
    const answer = await call(appWith(), { ...SHUTDOWN, headers: { host } });
    expect(answer).toMatchObject({ status: 403, body: { errors: expect.any(String) } });
  });
});

describe('a probe', () => {
  const ask = (path: string, headers: Record<string, string>) => call(appWith(), { path, headers });

  it.each(['10.1.2.3:5001', '10.1.2.3', '[fd00::7]:5001'])(
    'under the address of its pod is answered, and nothing else is: %s',
    async (host) => {
      for (const path of ['/livez', '/readyz'])
        expect(await ask(path, { host })).toMatchObject({ status: 200 });
      expect(await ask('/tokens', { host })).toMatchObject({ status: 403 });
      expect(await ask('/address', { host })).toMatchObject({ status: 403 });
    },
  );

  it('under a host name that somebody pointed here is refused, and so is a page that asks', async () => {
    expect(await ask('/readyz', { host: 'evil.com' })).toMatchObject({ status: 403 });
    const page = { host: '10.1.2.3:5001', 'sec-fetch-site': 'cross-site' };
    expect(await ask('/readyz', page)).toMatchObject({ status: 403 });
  });
});

describe('a web page', () => {
  it.each<[string, Record<string, string>]>([
    ['of another site', { origin: 'https://evil.com' }],
    ['of another port', { origin: 'http://localhost:3000' }],
    ['without origin', { origin: 'null' }],
    ['of a name that begins alike', { origin: 'http://localhost.evil.com' }],
    ['of another site by fetch metadata', { 'sec-fetch-site': 'cross-site' }],
    ['of a sibling site', { 'sec-fetch-site': 'same-site' }],
    ['whose metadata contradict', { origin: 'http://localhost', 'sec-fetch-site': 'cross-site' }],
    ['with a form', { origin: 'https://evil.com', 'content-type': 'text/plain' }],
  ])('%s is refused with 403', async (_, headers) => {
    const all = { host: 'localhost', ...headers };
    for (const request of [SHUTDOWN, { path: '/tokens' }, { path: '/nothing' }]) {
      const answer = await call(appWith(), { ...request, headers: all });
      expect(answer).toMatchObject({ status: 403, body: { errors: expect.any(String) } });
    }
  });

  it.each<[string, Record<string, string>]>([
    ['of the node itself', { origin: 'http://localhost:5001', 'sec-fetch-site': 'same-origin' }],
    ['opened by its user', { 'sec-fetch-site': 'none' }],
    ['behind a proxy that ends TLS', { origin: 'https://localhost:5001' }],
  ])('%s is let in', async (_, headers) => {
    const all = { host: 'localhost:5001', ...headers };
    expect((await call(appWith(), { path: '/tokens', headers: all })).status).toBe(200);
  });

  it('gets no permission to read answers', async () => {
    const { headers } = await call(appWith(), {
      method: 'OPTIONS',
      path: '/channels',
      headers: { origin: 'https://evil.com', 'access-control-request-method': 'PUT' },
    });
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a program', () => {
  it('may shut the node down without any header', async () => {
    expect((await call(appWith(), SHUTDOWN)).status).toBe(200);
  });
});

describe('protective headers', () => {
  it.each([
    ['an answer', '/tokens'],
    ['a refusal', `/tokens/${TOKEN.toLowerCase()}`],
    ['an unknown URL', '/nothing'],
  ])('stand on %s', async (_, path) => {
    const { headers } = await call(appWith(), { path });
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
  });
});

it('answers any URL and any header without a 500', async () => {
  const app = appWith();
  const segment = fc.oneof(
    fc.constantFrom('tokens', 'channels', 'payments', TOKEN, '..', '%', '%00', '?limit=x'),
    fc.webPath(),
  );
  const value = fc.stringMatching(/^[!-~]{0,20}$/);
  const name = fc.constantFrom('host', 'origin', 'sec-fetch-site', 'content-type', 'authorization');
  await fc.assert(
    fc.asyncProperty(fc.array(segment), fc.dictionary(name, value), async (path, headers) => {
      const { status } = await call(app, { path: `/${path.join('/')}`, headers });
      expect([200, 400, 403, 404, 405, 409]).toContain(status);
    }),
    { numRuns: 500 },
  );
});
