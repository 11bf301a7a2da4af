/** The inspector's page as the build leaves it, from a real server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeServer, serveNode } from '../../src/host/node-api.ts';
import { fakeNode } from '../unit/http/fake-node.ts';

let server: NodeServer;

beforeAll(async () => {
  const served = await serveNode({
    node: fakeNode(),
    config: {
      host: '127.0.0.1',
      port: 0,
      concurrency: 1,
      tokens: [{ token: 'x'.repeat(16), scope: 'admin', cap: null, budget: null }],
      inspector: { handle: async () => new Response('{}') },
    },
    onInternalError: (error) => expect(error).toBeUndefined(),
  });
  if (!served.ok) throw new Error(served.message);
  server = served.value;
});
afterAll(() => server.end());

const get = (path: string, init: RequestInit = {}) => fetch(server.url + path, init);

/** What the page asks for, as it stands in it. */
async function parts(): Promise<string[]> {
  const page = await (await get('/inspector/')).text();
  return [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, path = '']) => path);
}

describe('the page of the inspector', () => {
  it('comes with a policy that forbids everything foreign', async () => {
    const response = await get('/inspector');
    expect([response.status, response.url]).toEqual([200, `${server.url}/inspector/`]);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
        "worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
        "frame-ancestors 'none'",
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('has its scripts and styles, which may be kept for ever', async () => {
    const paths = await parts();
    expect(paths.map((path) => path.split('.').at(-1)).sort()).toEqual(
      expect.arrayContaining(['css', 'js']),
    );
    for (const path of paths) {
      const { status, headers } = await get(`/inspector/${path}`);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  it('has nothing inline, which its policy would not run', async () => {
    const page = await (await get('/inspector/')).text();
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|https?:/);
  });

  it('answers HEAD with the same headers and no body', async () => {
    for (const path of ['', ...(await parts())]) {
      const [head, whole] = await Promise.all([
        get(`/inspector/${path}`, { method: 'HEAD' }),
        get(`/inspector/${path}`),
      ]);
      expect([head.status, await head.text()]).toEqual([200, '']);
      for (const name of ['content-type', 'content-security-policy', 'cache-control'])
        expect(head.headers.get(name)).toBe(whole.headers.get(name));
      await whole.text();
    }
  });
});
