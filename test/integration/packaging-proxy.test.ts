/** The proxy of `packaging/haproxy` before a node and its standby. It is tried where HAProxy is installed. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/processes.ts';
import { until } from '../support/until.ts';

const FILE = fileURLToPath(new URL('../../packaging/haproxy/haproxy.cfg', import.meta.url));
const PATH = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;
const hasProxy = spawnSync('haproxy', ['-v'], { env: { PATH } }).status === 0;

type FakeNode = { port: number; isReady: boolean; server: Server };

let folder: string;
let proxy: ChildProcess;
let api: string;
let figures: string;
let primary: FakeNode;
let standby: FakeNode;

/** Answers /readyz as a node does, also for host names that it does not know, and says to anything else who it is. */
async function startNode(name: string, isReady: boolean): Promise<FakeNode> {
  const server = createServer((request, response) => {
    const isOwn = /^(127\.0\.0\.1|localhost)(:|$)/.test(request.headers.host ?? '');
    const ready = isOwn ? (node.isReady ? 200 : 503) : 403;
    response.writeHead(request.url === '/readyz' ? ready : 200).end(name);
  });
  const node = { port: await freePort(), isReady, server };
  await new Promise<void>((resolve) => server.listen(node.port, '127.0.0.1', resolve));
  return node;
}

async function answerer(): Promise<string> {
  const answer = await fetch(`${api}/api/v1/address`).catch(() => null);
  return answer?.status === 200 ? answer.text() : `${answer?.status ?? 'nothing'}`;
}

describe.runIf(hasProxy)('the packaged proxy', () => {
  beforeAll(async () => {
    primary = await startNode('primary', true);
    standby = await startNode('standby', false);
    const ports = { api: await freePort(), figures: await freePort() };
    folder = mkdtempSync(join(tmpdir(), 'sluice-proxy-'));
    const file = join(folder, 'haproxy.cfg');
    const configuration = readFileSync(FILE, 'utf8')
      .replace('bind :5001', `bind 127.0.0.1:${ports.api}`)
      .replace('bind :8405', `bind 127.0.0.1:${ports.figures}`)
      .replace('primary:5001', `127.0.0.1:${primary.port}`)
      .replace('standby:5001', `127.0.0.1:${standby.port}`);
    writeFileSync(file, configuration);
    proxy = spawn('haproxy', ['-f', file], { env: { PATH }, stdio: 'ignore' });
    api = `http://127.0.0.1:${ports.api}`;
    figures = `http://127.0.0.1:${ports.figures}/metrics`;
    await until(async () => (await answerer()) === 'primary', 'the primary answers');
  });
  afterAll(() => {
    proxy.kill('SIGKILL');
    for (const { server } of [primary, standby]) server.close().closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  it('sends every call to the node that is ready', async () => {
    await until(async () => (await fetch(figures)).ok, 'figures');
    const answers = await Promise.all(Array.from({ length: 20 }, answerer));
    expect(new Set(answers)).toEqual(new Set(['primary']));
  });

  it('goes over to the standby when that is ready and the other is not', async () => {
    primary.isReady = false;
    await until(async () => (await answerer()) === '503', 'nobody is ready');
    standby.isReady = true;
    await until(async () => (await answerer()) === 'standby', 'the standby answers');
  });

  it('tells Prometheus how many nodes take calls', async () => {
    const active = async () =>
      /^haproxy_backend_active_servers\{proxy="nodes"\} (\d+)/m.exec(
        await (await fetch(figures)).text(),
      )?.[1];
    await until(async () => (await active()) === '1', 'one node takes calls');
    standby.isReady = false;
    await until(async () => (await active()) === '0', 'no node takes calls');
  });
});
