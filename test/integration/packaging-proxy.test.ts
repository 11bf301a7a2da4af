/** The proxy of `packaging` before the nodes and standbys of three keys. It is tried where HAProxy is installed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NameServer, startNameServer } from '../support/name-server.ts';
import { hasProxy, startProxy } from '../support/packaged-proxy.ts';
import { copyPackaging, type Packaging } from '../support/packaged-setup.ts';
import { freePort } from '../support/processes.ts';
import { until } from '../support/until.ts';

type FakeNode = { port: number; isReady: boolean; server: Server };
/** Of these the name server knows nothing at first. */
const NAMED = ['node-3', 'standby-3'] as const;

let packaging: Packaging;
let names: NameServer;
let proxy: Awaited<ReturnType<typeof startProxy>>;
const nodes: Record<string, FakeNode> = {};

/** Answers /readyz as a node does, also for host names that it does not know, and says to anything else who it is. */
async function startNode(name: string, isReady: boolean): Promise<void> {
  const server = createServer((request, response) => {
    const isOwn = /^(127\.0\.0\.1|localhost)(:|$)/.test(request.headers.host ?? '');
    const ready = isOwn ? (node.isReady ? 200 : 503) : 403;
    response.writeHead(request.url === '/readyz' ? ready : 200).end(name);
  });
  const node = { port: await freePort(), isReady, server };
  await new Promise<void>((resolve) => server.listen(node.port, '127.0.0.1', resolve));
  nodes[name] = node;
}

function node(name: string): FakeNode {
  const found = nodes[name];
  if (found === undefined) throw new Error(`${name} does not run`);
  return found;
}

/** Which node answers calls for the key of this number; else the status. */
async function answerer(number: number): Promise<string> {
  const answer = await fetch(`${proxy.api(number)}/api/v1/address`).catch(() => null);
  return answer?.status === 200 ? answer.text() : `${answer?.status ?? 'nothing'}`;
}

const whenAnswers = (number: number, who: string) =>
  until(async () => (await answerer(number)) === who, `${who} answers for key ${number}`);

/** What the setup looks for: keys of which it only reads the addresses. */
function giveKeys(): void {
  mkdirSync(packaging.own());
  writeFileSync(packaging.own('password'), 'not a secret');
  const registry = { token_network_registry_address: `0x${'9'.repeat(40)}` };
  writeFileSync(packaging.own('contracts.json'), JSON.stringify(registry));
  for (const [index, folder] of ['.', 'node-2', 'node-3'].entries()) {
    mkdirSync(packaging.own(folder, 'keys'), { recursive: true });
    const key = JSON.stringify({ address: String(index + 1).repeat(40) });
    writeFileSync(packaging.own(folder, 'keys', 'key.json'), key);
  }
}

describe.runIf(hasProxy)('the packaged proxy', () => {
  beforeAll(async () => {
    packaging = copyPackaging();
    giveKeys();
    expect(packaging.setUp()).toMatchObject({ status: 0, stderr: '' });
    for (const name of ['primary', 'node-2', 'node-3']) await startNode(name, true);
    for (const name of ['standby', 'standby-2', 'standby-3']) await startNode(name, false);
    names = await startNameServer();
    const places = Object.entries(nodes).map(([name, { port }]) => {
      const isNamed = NAMED.some((one) => one === name);
      return [name, isNamed ? `${name}.invalid:${port}` : `127.0.0.1:${port}`];
    });
    const nameServer = `nameserver test 127.0.0.1:${names.port}`;
    proxy = await startProxy(packaging, Object.fromEntries(places), nameServer);
    await whenAnswers(1, 'primary');
  });
  afterAll(() => {
    proxy?.stop();
    names?.stop();
    for (const { server } of Object.values(nodes)) server.close().closeAllConnections();
    packaging?.remove();
  });

  it('sends every call to the node that is ready, of the key whose port is called', async () => {
    await whenAnswers(2, 'node-2');
    const answers = await Promise.all(
      [1, 2].flatMap((key) => Array.from({ length: 20 }, () => key)).map(answerer),
    );
    expect(new Set(answers.slice(0, 20))).toEqual(new Set(['primary']));
    expect(new Set(answers.slice(20))).toEqual(new Set(['node-2']));
  });

  it('begins without a key of which no name means anything, and finds its nodes when they come', async () => {
    expect(await answerer(3)).toBe('503');
    expect(await proxy.active('node-3')).toBe(0);
    names.known.add('node-3.invalid');
    await whenAnswers(3, 'node-3');
    names.known.add('standby-3.invalid');
    node('node-3').isReady = false;
    node('standby-3').isReady = true;
    await whenAnswers(3, 'standby-3');
  });

  it('goes over to the standby of a key when that is ready and the other is not, and of no other', async () => {
    node('node-2').isReady = false;
    await whenAnswers(2, '503');
    node('standby-2').isReady = true;
    await whenAnswers(2, 'standby-2');
    expect(await answerer(1)).toBe('primary');
    node('primary').isReady = false;
    node('standby').isReady = true;
    await whenAnswers(1, 'standby');
  });

  it('tells Prometheus of each key how many nodes take calls', async () => {
    await until(async () => (await proxy.active('node')) === 1, 'one node takes calls');
    node('standby-2').isReady = false;
    await until(async () => (await proxy.active('node-2')) === 0, 'no node of the second does');
    expect(await proxy.active('node')).toBe(1);
  });
});
