/** What a web page in the browser of whoever runs a devnet can do to it: at any port of any of its processes. */
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectBroker } from 'nats';
import { createTestClient, http, publicActions, type Transport, webSocket } from 'viem';
import { foundry } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Devnet, startDevnet } from '../../src/devnet/devnet.ts';
import type { ReadyFile } from '../../src/devnet/ready-file.ts';
import { isCallable } from '../../src/http/blocked-ports.ts';
import { descendantsOf, type Listening, listeningSockets } from '../support/listening.ts';

const EVIL = 'https://evil.example';
const MINE = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_mine', params: ['0x5'] });
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

let folder: string;
let devnet: Devnet;
let ready: ReadyFile;
let sockets: Listening[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-ports-'));
  writeFileSync(join(folder, 'precious'), 'precious');
  symlinkSync(join(folder, 'precious'), join(folder, 'ready.json.unfinished'));
  const before = new Set(opened().map(nameOf));
  devnet = startDevnet(
    {
      version: '0.0.0-test',
      nodes: 1,
      apiPort: 0,
      apiConcurrency: 1,
      apiQueueSeconds: 30,
      concurrentReads: false,
      settleTimeout: 500n,
      revealTimeout: 10n,
      // Blocks come by themselves so seldom that a page's block is told from them.
      blockTime: 100_000,
      data: null,
      nats: null,
      contracts: {},
      program: null,
      isOpen: false,
      openTimeouts: {},
      hasGates: true,
      hasServices: true,
      hasPaywall: false,
      network: null,
      readyFile: join(folder, 'ready.json'),
    },
    {
      say() {},
      logOf: () => ({ info() {}, warn() {}, error() {} }),
      onLine() {},
      onNodeEnded() {},
      onTrouble() {},
    },
  );
  ready = await devnet.ready;
  sockets = opened().filter((socket) => !before.has(nameOf(socket)));
});
afterAll(async () => {
  await devnet?.stop();
  rmSync(folder, { recursive: true });
});

const opened = () => listeningSockets([process.pid, ...descendantsOf(process.pid)]);
const nameOf = ({ host, port }: Pick<Listening, 'host' | 'port'>) => `${host}:${port}`;
/** Whatever of the devnet's ports nobody is told of is a gate, or anvil itself. */
const isGate = (port: number) =>
  isCallable(port) && !JSON.stringify(ready).includes(`127.0.0.1:${port}`);
const portOf = (url: string | null) => Number(new URL(url ?? '').port);

const clientOver = (transport: Transport) =>
  createTestClient({ mode: 'anvil', chain: foundry, transport }).extend(publicActions);

/** What a browser sends for a page, by what the page did. */
const OF_PAGES: Record<string, (own: string) => string> = {
  'a form or a text without a preflight': (own) =>
    request('POST', own, { origin: EVIL, 'content-type': 'text/plain' }, MINE),
  'a call with JSON': (own) =>
    request('POST', own, { origin: EVIL, 'content-type': 'application/json' }, MINE),
  'a call of a page without an origin of its own': (own) =>
    request('POST', own, { origin: 'null', 'content-type': 'application/json' }, MINE),
  'a preflight': (own) =>
    request('OPTIONS', own, { origin: EVIL, 'access-control-request-method': 'POST' }),
  'an image': (own) => request('GET', own, { 'sec-fetch-site': 'cross-site' }),
  'a call under a name of its own that points here': () =>
    request('POST', 'evil.example', { 'content-type': 'application/json' }, MINE),
  'a WebSocket': (own) => request('GET', own, { origin: EVIL, ...UPGRADE }),
  'a WebSocket under a name of its own': () =>
    request('GET', 'evil.example', { origin: 'http://evil.example', ...UPGRADE }),
};
const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': KEY,
};

function request(
  method: string,
  host: string,
  headers: Record<string, string>,
  body?: string,
): string {
  const sized = body === undefined ? headers : { ...headers, 'content-length': `${body.length}` };
  const lines = Object.entries(sized).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} / HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}\r\n${body ?? ''}`;
}

/** The answer up to its headers' end, or all that came before the other side ended the connection. */
function answerTo({ host, port }: Listening, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.write(text));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (!received.includes('\r\n\r\n') || !received.startsWith('HTTP/')) return;
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.once('close', () => resolve(received));
  });
}

/** How the page fares, `refused` or what it got. A broker's words are no answer that a browser lets a page read. */
async function faring(socket: Listening, text: string): Promise<string> {
  const answer = await answerTo(socket, text);
  if (!answer.startsWith('HTTP/')) return /^-ERR/m.test(answer) ? 'refused' : answer;
  const isShared = /^access-control-allow-origin/im.test(answer);
  return answer.startsWith('HTTP/1.1 403 ') && !isShared ? 'refused' : answer;
}

describe.runIf(process.platform === 'linux')('the ports of a devnet', () => {
  it('are all found: chain, broker and its gates, node, services and page', () => {
    const { chain, nats, pathfinding, inspector, nodes, echo } = ready;
    const told = [
      chain.rpc,
      nats,
      pathfinding,
      inspector,
      nodes[0]?.api ?? null,
      echo?.api ?? null,
    ];
    expect(sockets.map(({ port }) => port)).toEqual(
      expect.arrayContaining(told.map((url) => portOf(url))),
    );
  });

  it('are open to browsers, but for that of the chain itself', () => {
    expect(sockets.filter(({ port }) => !isCallable(port))).toHaveLength(1);
  });

  it('are on loopback', () => {
    expect(sockets.filter(({ host }) => !host.startsWith('127.'))).toEqual([]);
  });

  it.each(Object.entries(OF_PAGES))('refuse %s', async (_, text) => {
    const callable = sockets.filter(({ port }) => isCallable(port));
    const before = await clientOver(http(ready.chain.rpc)).getBlockNumber({ cacheTime: 0 });
    const fared = await Promise.all(
      callable.map(async (socket) => [nameOf(socket), await faring(socket, text(nameOf(socket)))]),
    );
    expect(fared.filter(([, how]) => how !== 'refused')).toEqual([]);
    const after = await clientOver(http(ready.chain.rpc)).getBlockNumber({ cacheTime: 0 });
    expect(after).toBe(before);
  });

  it('carry no word of a page to the broker', async () => {
    const broker = await connectBroker({ servers: ready.nats ?? '' });
    const heard: string[] = [];
    broker.subscribe('said.>', { callback: (_, message) => void heard.push(message.subject) });
    await broker.flush();
    const words = '\r\nCONNECT {"verbose":false}\r\nPUB said.page 2\r\nhi\r\n';
    const speaking = sockets.filter(({ port }) => port === portOf(ready.nats) || isGate(port));
    expect(speaking).toHaveLength(3);
    for (const socket of speaking)
      for (const method of ['POST', 'PUB', 'SUB', 'PING'])
        await answerTo(socket, request(method, nameOf(socket), { origin: EVIL }, words));
    broker.publish('said.program');
    await broker.flush();
    await broker.close();
    expect(heard).toEqual(['said.program']);
  });

  it('take the calls of programs, and of the extensions that wallets are', async () => {
    const transports = [http(ready.chain.rpc), webSocket(ready.chain.rpc.replace('http', 'ws'))];
    for (const transport of transports) {
      const client = clientOver(transport);
      const block = await client.getBlockNumber({ cacheTime: 0 });
      await client.mine({ blocks: 2 });
      expect(await client.getBlockNumber({ cacheTime: 0 })).toBe(block + 2n);
    }
    const headers = { 'content-type': 'application/json', origin: 'chrome-extension://wallet' };
    const mined = await fetch(ready.chain.rpc, { method: 'POST', headers, body: MINE });
    expect(mined.status).toBe(200);
  });
});

describe('the ready file of a devnet', () => {
  it('is read by its user alone, and is written into no file that somebody linked to', () => {
    expect(statSync(join(folder, 'ready.json')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('precious');
  });
});

describe.runIf(process.platform === 'linux')('a devnet that ends', () => {
  it('leaves none of its ports open', async () => {
    await devnet.stop();
    const ours = new Set(sockets.map(nameOf));
    expect(opened().filter((socket) => ours.has(nameOf(socket)))).toEqual([]);
  });
});
