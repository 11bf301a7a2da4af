import {
  createServer,
  get,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { askOver, serveInspector } from '../../../src/devnet/page/inspector-site.ts';
import { until } from '../../support/until.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A node whose inspector answers as told, and keeps what it was asked with. */
async function startNode(name: string, answer: (response: ServerResponse) => void) {
  const asked: { url: string; headers: IncomingMessage['headers'] }[] = [];
  const server: Server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  );
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const ask = askOver(`http://127.0.0.1:${port}`);
  return { name, address: `0x${name}` as const, ask, asked };
}

function json(text: string) {
  return (response: ServerResponse) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

/** A stream that goes on after this event. */
function event(id: number, data: string) {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 1\n\nid: ${id}\nevent: step\ndata: ${data}\n\n`);
  };
}

async function openSite(nodes: Awaited<ReturnType<typeof startNode>>[]) {
  const site = await serveInspector({ nodes, tokens: [], port: 0 });
  ends.push(site.close);
  return `${site.url}/inspector/`;
}

/** Reads a stream until its text holds all of `parts`, then leaves. */
function readUntil(url: string, headers: Record<string, string>, parts: readonly string[]) {
  return new Promise<string>((resolve, reject) => {
    // Not `fetch`: it keeps another connection in reserve, which the server would wait for at its end.
    const request = get(url, { headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
        if (!parts.every((part) => text.includes(part))) return;
        resolve(text);
        request.destroy();
      });
    }).on('error', reject);
  });
}

describe('the inspectors of a devnet at one address', () => {
  it('name the nodes, and pass on what each of them answers', async () => {
    const nodes = [
      await startNode('alice', json('{"who":"alice"}')),
      await startNode('bob', json('{"who":"bob"}')),
    ];
    const site = await openSite(nodes);
    expect(await (await fetch(`${site}nodes`)).json()).toEqual({
      nodes: [
        { name: 'alice', address: '0xalice', base: 'nodes/alice/' },
        { name: 'bob', address: '0xbob', base: 'nodes/bob/' },
      ],
      tokens: [],
    });
    const answer = await fetch(`${site}nodes/bob/actors/channel%3A1?limit=2`);
    expect(await answer.json()).toEqual({ who: 'bob' });
    expect(nodes[1]?.asked.map(({ url }) => url)).toEqual([
      '/inspector/actors/channel%3A1?limit=2',
    ]);
  });

  it('join the streams of all nodes into one, and resume each node at its own place', async () => {
    const alice = await startNode('alice', event(12, '[{"kind":"event"}]'));
    const bob = await startNode('bob', event(7, '[{"kind":"stop"}]'));
    const site = await openSite([alice, bob]);
    const parts = [
      'data: {"node":"alice","step":[{"kind":"event"}]}',
      'data: {"node":"bob","step":[{"kind":"stop"}]}',
    ];
    const text = await readUntil(`${site}events`, { 'last-event-id': 'alice=11' }, parts);
    const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    expect(ids.at(-1)?.split(',').sort()).toEqual(['alice=12', 'bob=7']);
    expect(alice.asked[0]?.headers['last-event-id']).toBe('11');
    expect(bob.asked[0]?.headers['last-event-id']).toBeUndefined();
  });

  it('stop asking the nodes when the reader has left', async () => {
    let open = 0;
    const alice = await startNode('alice', (response) => {
      open += 1;
      response.on('close', () => {
        open -= 1;
      });
      event(1, '[{"kind":"event"}]')(response);
    });
    const site = await openSite([alice]);
    await readUntil(`${site}events`, {}, ['alice']);
    await until(() => open === 0, 'the stream of the node is closed');
    expect(alice.asked).toHaveLength(1);
  });

  it('are not asked for their streams by a client that wants the headers alone', async () => {
    const alice = await startNode('alice', event(1, '[{"kind":"event"}]'));
    const site = await openSite([alice]);
    const answer = await fetch(`${site}events`, { method: 'HEAD' });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await readUntil(`${site}events`, {}, ['alice']);
    expect(alice.asked).toHaveLength(1);
  });

  it('say so when a node is gone, and refuse strangers and changes', async () => {
    const gone = {
      name: 'gone',
      address: '0x00' as const,
      ask: askOver('http://127.0.0.1:1'),
      asked: [],
    };
    const site = await openSite([gone]);
    expect((await fetch(`${site}nodes/gone/node`)).status).toBe(502);
    expect((await fetch(`${site}nodes/nobody/node`)).status).toBe(404);
    expect((await fetch(`${site}nodes`, { method: 'POST' })).status).toBe(405);
    const foreign = { headers: { origin: 'https://example.org' } };
    expect((await fetch(`${site}nodes`, foreign)).status).toBe(403);
  });
});
