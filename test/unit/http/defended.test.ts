import { afterEach, describe, expect, it } from 'vitest';
import { freePort } from '../../../src/host/port.ts';
import { serveNoCalls } from '../../../src/host/serve-no-calls.ts';
import { defended } from '../../../src/http/checks/defended.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const NAMED = { allowedHosts: ['pfs.example'], origins: ['https://app.example'] };

/** The status for a caller with these headers. */
async function statusFor(headers: Record<string, string>, guest: 'probe' | null = null) {
  const app = defended({ fetch: () => new Response('told') }, NAMED, guest);
  return (await app.fetch(new Request('http://127.0.0.1/', { headers }), {})).status;
}

describe('an application behind the defence', () => {
  it('answers programs, under loopback and under the names that it was given', async () => {
    for (const host of ['127.0.0.1:6001', 'localhost', 'pfs.example:6001'])
      expect(await statusFor({ host })).toBe(200);
  });

  it('answers no page of another site, and under no other name', async () => {
    expect(await statusFor({ origin: 'https://evil.example' })).toBe(403);
    expect(await statusFor({ 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await statusFor({ host: 'evil.example' })).toBe(403);
  });

  it('answers probes under any address of the machine', async () => {
    expect(await statusFor({ host: '10.1.2.3:6001' })).toBe(403);
    expect(await statusFor({ host: '10.1.2.3:6001' }, 'probe')).toBe(200);
    expect(await statusFor({ host: 'evil.example' }, 'probe')).toBe(403);
  });

  it('lets pages of named origins read its answers, and call with JSON', async () => {
    const app = defended({ fetch: () => new Response('told') }, NAMED, null);
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' };
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await app.fetch(new Request('http://127.0.0.1/', { method, headers }), {});
      expect(answer.ok).toBe(true);
      expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
    }
  });
});

describe('a process that takes no calls', () => {
  it('tells probes how it is, and no page why', async () => {
    const port = await freePort(20_000);
    const onFailure = (error: unknown) => expect(error).toBeUndefined();
    const reason = () => 'The disk is broken.';
    const address = { host: '127.0.0.1', port };
    ends.push(await serveNoCalls(address, { code: 'safe_mode', reason, onFailure }));
    const ask = (path: string, headers = {}) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers });
    expect((await ask('/livez')).status).toBe(200);
    expect(await (await ask('/readyz')).text()).toContain('The disk is broken.');
    const page = await ask('/readyz', { origin: 'https://evil.example' });
    expect(page.status).toBe(403);
    expect(await page.text()).not.toContain('disk');
  });
});
