import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { type NodeServer, serveNode } from '../../src/host/node-api.ts';
import { EVENTS_AT_ONCE } from '../../src/http/stream.ts';
import { until } from '../support/until.ts';
import { eventsIn, fakeFeed } from '../unit/http/fake-feed.ts';
import { fakeNode } from '../unit/http/fake-node.ts';

const running: NodeServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.end()));
});

async function serveFeed(feed = fakeFeed()) {
  const served = await serveNode({
    node: fakeNode({ feed }),
    config: { host: '127.0.0.1', port: 0, concurrency: 1, origins: ['https://app.example'] },
    onInternalError: () => {},
  });
  if (!served.ok) throw new Error(served.message);
  running.push(served.value);
  return { server: served.value, feed };
}

/** A client on a bare socket: it reads when it is told to. */
function client(server: NodeServer, lastEventId: number | null = null, headers = '') {
  const socket = connect(server.port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  let isEnded = false;
  socket.on('data', (chunk) => {
    // Only the newest: the longest stream here is of many megabytes.
    text = (text + chunk.toString('utf8')).slice(-100_000);
  });
  socket.on('close', () => {
    isEnded = true;
  });
  socket.on('error', () => {});
  const id = lastEventId === null ? '' : `Last-Event-ID: ${lastEventId}\r\n`;
  socket.write(
    `GET /api/v1/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${id}${headers}\r\n`,
  );
  // Chunk sizes stand between the events, alone on their lines.
  const events = () => eventsIn(text.replaceAll(/\r\n[0-9a-f]+\r\n/g, ''));
  return { socket, events, text: () => text, isEnded: () => isEnded };
}

it('sends events over a socket as they happen, and after the last one that was seen', async () => {
  const { server, feed } = await serveFeed();
  const first = client(server);
  await until(() => feed.listeners() === 1, 'the first client');
  feed.grow(2);
  await until(() => first.events().length === 2, 'two events');
  first.socket.destroy();
  await until(() => feed.listeners() === 0, 'the first client to be forgotten');
  feed.grow(5);
  const second = client(server, 2);
  await until(() => second.events().length === 3, 'what came meanwhile');
  expect(second.events().map(({ id }) => id)).toEqual(['3', '4', '5']);
  expect(second.text()).toMatch(/^HTTP\/1.1 200 .*\r\ncontent-type: text\/event-stream/is);
});

it('reads no further for a client that does not read', async () => {
  const newest = 60_000;
  const { server, feed } = await serveFeed(fakeFeed({ newest, kept: newest }));
  const slow = client(server, 0);
  slow.socket.pause();
  const quick = client(server, 0);
  await until(() => quick.text().includes(`id: ${newest}\n`), 'all events for one who reads');
  // What the slow one was read for fills the buffers of two sockets, no more.
  expect(feed.reads()).toBeLessThan((newest / EVENTS_AT_ONCE) * 1.8);
  slow.socket.resume();
  await until(() => slow.text().includes(`id: ${newest}\n`), 'the rest for the slow one');
  expect(feed.reads()).toBeGreaterThanOrEqual((newest / EVENTS_AT_ONCE) * 2);
});

it('lets a page of a named origin read it', async () => {
  const { server, feed } = await serveFeed(fakeFeed({ newest: 1 }));
  const origin = 'Origin: https://app.example\r\nSec-Fetch-Site: cross-site\r\n';
  const page = client(server, 0, origin);
  await until(() => page.events().length === 1, 'an event');
  expect(page.text()).toMatch(/access-control-allow-origin: https:\/\/app.example\r\n/i);
  expect(feed.listeners()).toBe(1);
});

it('ends at once when the server does', async () => {
  const { server, feed } = await serveFeed();
  const listener = client(server);
  await until(() => feed.listeners() === 1, 'the client');
  const ended = server.end();
  expect(feed.listeners()).toBe(0);
  await ended;
  await until(() => listener.isEnded(), 'the connection to end');
});
