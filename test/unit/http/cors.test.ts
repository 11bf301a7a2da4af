import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.ts';
import { shareWith } from '../../../src/http/checks/cors.ts';
import { originMatcher, parseOrigins } from '../../../src/http/checks/origins.ts';
import { fakeNode, TOKEN } from './fake-node.ts';

const PAGE = 'https://app.example';

/** Answers of an API that lets pages of these origins in. */
function pageCalls(origins: string) {
  const isNamedOrigin = originMatcher(parseOrigins(origins) ?? []);
  const tokens = () => {
    throw new Error('disk full');
  };
  const node = fakeNode({ tokens });
  const app = createApp({ node, options: { isNamedOrigin } });
  const { fetch } = new Hono().use(shareWith(isNamedOrigin)).all('*', (c) => app.fetch(c.req.raw));
  return (path: string, init: { method?: string; headers?: Record<string, string> } = {}) =>
    fetch(
      new Request(`http://localhost:5001/api/v1${path}`, {
        ...init,
        headers: { host: 'localhost:5001', 'sec-fetch-site': 'cross-site', ...init.headers },
      }),
      {},
    );
}

describe('a page of a named origin', () => {
  it.each<[string, string, string, number]>([
    ['an answer', 'GET', '/channels', 200],
    ['a change', 'PATCH', '/channels', 405],
    ['an unknown URL', 'GET', '/nothing', 404],
    ['a wrong address', 'GET', `/tokens/${TOKEN.toLowerCase()}`, 404],
    ['an internal failure', 'GET', '/tokens', 500],
  ])('may read %s', async (_, method, path, status) => {
    const answer = await pageCalls(PAGE)(path, { method, headers: { origin: PAGE } });
    expect(answer.status).toBe(status);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-expose-headers':
        'allow,retry-after,sluice-event-id,sluice-outcome,sluice-identifier',
      vary: 'Origin',
    });
  });

  it('is told which methods and headers it may use', async () => {
    const answer = await pageCalls(PAGE)('/channels', {
      method: 'OPTIONS',
      headers: {
        origin: PAGE,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
    });
    expect(answer.status).toBe(204);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': PAGE,
      'access-control-allow-methods': 'GET,HEAD,PUT,POST,PATCH,DELETE',
      'access-control-allow-headers': 'content-type,authorization,last-event-id,idempotency-key',
    });
    expect(answer.headers.has('access-control-allow-private-network')).toBe(false);
  });

  it('gets no further under a foreign host name', async () => {
    const headers = { origin: PAGE, host: 'evil.com' };
    expect((await pageCalls(PAGE)('/channels', { headers })).status).toBe(403);
  });
});

describe('a page of another origin', () => {
  it.each([
    'https://evil.com',
    'http://app.example',
    'https://app.example:8443',
    'https://app.example.evil.com',
    'https://sub.app.example',
    'null',
  ])('is refused and gets no permission to read that: %s', async (origin) => {
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await pageCalls(PAGE)('/channels', {
        method,
        headers: { origin, 'access-control-request-method': 'GET' },
      });
      expect(answer.status).toBe(403);
      expect(answer.headers.get('vary')).toBe('Origin');
      expect(answer.headers.has('access-control-allow-origin')).toBe(false);
    }
  });

  it('is refused when it hides its origin', async () => {
    expect((await pageCalls(PAGE)('/channels')).status).toBe(403);
  });
});

describe('the list of origins', () => {
  it.each<[string, string, boolean]>([
    ['http://localhost:*', 'http://localhost:4200', true],
    ['http://localhost:*/*', 'http://localhost:4200', true],
    ['http://localhost:*', 'http://localhost', true],
    ['http://localhost:*', 'https://localhost:4200', false],
    ['http://localhost:*', 'http://localhost.evil.com:80', false],
    ['http://localhost:*', 'http://localhost:4200.evil.com', false],
    ['http://[::1]:*', 'http://[::1]:3000', true],
    ['https://a.example, https://b.example', 'https://b.example', true],
    ['https://A.example:443/', 'https://a.example', true],
    ['https://a.example', 'https://a.example:8443', false],
    ['', 'https://a.example', false],
  ])('%j against %s: %s', (list, origin, isNamed) => {
    expect(originMatcher(parseOrigins(list) ?? ['unreadable'])(origin)).toBe(isNamed);
  });

  it.each([
    '*',
    'a.example',
    'https://*',
    'https://*.example',
    'https://a.example/app',
    'https://a:99999',
    'https://a,,https://b',
  ])('is refused: %s', (list) => {
    expect(parseOrigins(list)).toBeNull();
  });
});
