import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NodeServer, serveNode } from '../../src/host/node-api.ts';
import { until } from '../support/until.ts';
import { fakeNode } from '../unit/http/fake-node.ts';

const INLINE = 'window.started = true;';
const PAGE = `<!doctype html><title>wallet</title><script>${INLINE}</script>
<link rel="stylesheet" href="main.css" media="print" onload="this.media='all'">
<script src="main.js"></script>`;
const FILES: Record<string, string> = {
  'index.html': PAGE,
  'main.js': 'export {};',
  'main.css': 'body {}',
  'assets/logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'assets/data.unknown': 'bytes',
  'assets/a b.txt': 'blank',
  'assets/config/config.production.json': '{"raiden":"somewhere else"}',
  '.env': 'SECRET=1',
  '.git/config': 'secret',
};

let folder: string;
let server: NodeServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-ui-'));
  const root = join(folder, 'page');
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  writeFileSync(join(folder, 'secret.txt'), 'secret');
  symlinkSync(join(folder, 'secret.txt'), join(root, 'outside.txt'));
  symlinkSync(folder, join(root, 'up'));
  symlinkSync(join(root, 'main.js'), join(root, 'inside.js'));
  const webUi = {
    folder: root,
    connections: ['http://127.0.0.1:6000'],
    settleTimeout: 500n,
    revealTimeout: 50n,
    environmentType: 'development' as const,
  };
  const served = await serveNode({
    node: fakeNode(),
    config: {
      host: '127.0.0.1',
      port: 0,
      concurrency: 1,
      webUi,
      tokens: [{ token: 'x'.repeat(16), scope: 'admin', cap: null, budget: null }],
    },
    onInternalError: (error) => expect(error).toBeUndefined(),
  });
  if (!served.ok) throw new Error(served.message);
  server = served.value;
});
afterAll(async () => {
  await server.end();
  rmSync(folder, { recursive: true });
});

const get = (path: string, init: RequestInit = {}) =>
  fetch(server.url + path, { redirect: 'manual', ...init });

/** The status line and body of a path that a URL parser would have tidied up. */
async function rawGet(path: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1');
  let text = '';
  let isOver = false;
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('close', () => {
    isOver = true;
  });
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  await until(() => isOver, 'the answer');
  return text;
}

describe('the page', () => {
  it.each([
    ['/ui/', 'text/html; charset=utf-8', PAGE],
    ['/ui/index.html', 'text/html; charset=utf-8', PAGE],
    ['/ui/channels/0xabc', 'text/html; charset=utf-8', PAGE],
    ['/ui/main.js', 'text/javascript; charset=utf-8', 'export {};'],
    ['/ui/main.css?v=1', 'text/css; charset=utf-8', 'body {}'],
    ['/ui/inside.js', 'text/javascript; charset=utf-8', 'export {};'],
    ['/ui/assets/logo.svg', 'image/svg+xml', FILES['assets/logo.svg']],
    ['/ui/assets/data.unknown', 'application/octet-stream', 'bytes'],
    ['/ui/assets/a%20b.txt', 'text/plain; charset=utf-8', 'blank'],
  ])('is served without a token: %s', async (path, type, content) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe(content);
  });

  it.each(['/', '/ui'])('is where %s redirects to', async (path) => {
    const response = await get(path);
    expect([response.status, response.headers.get('location')]).toEqual([302, '/ui/']);
  });

  it('answers HEAD without a body, and no other method', async () => {
    const head = await get('/ui/main.js', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const headers = { authorization: `Bearer ${'x'.repeat(16)}` };
    expect((await get('/ui/main.js', { method: 'DELETE', headers })).status).toBe(405);
  });

  it('may run the inline scripts that its operator put into it, and no others', async () => {
    const policy = (await get('/ui/')).headers.get('content-security-policy') ?? '';
    const hash = (code: string) => `'sha256-${createHash('sha256').update(code).digest('base64')}'`;
    const scripts = policy.split('; ').find((rule) => rule.startsWith('script-src'));
    expect(scripts?.split(' ')).toEqual([
      'script-src',
      "'self'",
      "'unsafe-eval'",
      "'unsafe-hashes'",
      hash(INLINE),
      hash("this.media='all'"),
    ]);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:6000;");
  });

  it('gets the URLs of the API and the chain, and the timeouts of new channels', async () => {
    for (const name of ['production', 'development']) {
      const response = await get(`/ui/assets/config/config.${name}.json`);
      expect(await response.json()).toEqual({
        raiden: `${server.url}/api/v1`,
        web3: `${server.url}/rpc`,
        settle_timeout: 500,
        reveal_timeout: 50,
        environment_type: 'development',
      });
    }
  });

  it('is refused under foreign host names', async () => {
    const socket = await rawGet('/ui/');
    expect(socket).toMatch(/^HTTP\/1.1 200 /);
    expect((await get('/ui/', { headers: { origin: 'https://evil.com' } })).status).toBe(403);
  });

  it('shares its policy with no page of the API', async () => {
    const policy = (await get('/api/v1/docs')).headers.get('content-security-policy') ?? '';
    expect(policy).not.toBe('');
    expect(policy).not.toContain("'unsafe-eval'");
    expect(policy).not.toContain(':6000');
  });

  it('does not open the API to callers without a token', async () => {
    expect((await get('/api/v1/tokens')).status).toBe(401);
  });
});

describe('nothing but the folder is served', () => {
  it.each([
    '/ui/missing.js',
    '/ui/.env',
    '/ui/.git/config',
    '/ui/assets/.hidden/x.js',
    '/ui/outside.txt',
    '/ui/up/secret.txt',
    '/ui/up/page/main.js/../../secret.txt',
    '/ui/../../secret.txt',
    '/ui/%2e%2e/secret.txt',
    '/ui/..%2fsecret.txt',
    '/ui/%2e%2e%2fsecret.txt',
    '/ui/..%5csecret.txt',
    '/ui/%00.txt',
    '/ui/%zz.txt',
    '/ui//etc/passwd.txt',
    `/ui/${'x'.repeat(5_000)}.txt`,
  ])('%s', async (path) => {
    const answer = await rawGet(path);
    expect(answer).toMatch(/^HTTP\/1.1 (404|401) /);
    expect(answer).not.toMatch(/secret\b(?!\.txt)|SECRET/);
  });
});
