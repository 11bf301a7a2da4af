import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiOptions, createApp } from '../../src/http/app.ts';
import { type ApiServer, type ServeOptions, serve } from '../../src/http/server.ts';
import type { NodeApi } from '../../src/node/api/api.ts';
import { until } from '../support/until.ts';
import { fakeNode, HISTORY, PARTNER, paymentResult, TOKEN } from '../unit/http/fake-node.ts';

const PAYMENT = `/api/v1/payments/${TOKEN}/${PARTNER}`;

const running: ApiServer[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((server) => server.close()));
});

type Start = { changes?: Partial<NodeApi>; options?: ApiOptions } & Partial<ServeOptions>;
/** What the server has noticed of its clients so far. */
type Noticed = { arrived: number; left: number };

async function start(parts: Start = {}): Promise<ApiServer & { noticed: Noticed }> {
  const { changes = {}, options = {}, ...rest } = parts;
  const app = createApp({ node: fakeNode(changes), options });
  const noticed: Noticed = { arrived: 0, left: 0 };
  const watched: ServeOptions['app'] = {
    fetch(request, ...more) {
      noticed.arrived++;
      request.signal.addEventListener('abort', () => noticed.left++);
      return app.fetch(request, ...more);
    },
  };
  const server = await serve({ app: watched, port: 0, ...rest });
  running.push(server);
  return { ...server, noticed };
}

/** A connection without an HTTP client: it sends exactly what it is told. */
async function open(server: ApiServer): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(server.port, '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return { socket, received: () => text };
}

function post(body: string, headers = ''): string {
  return `POST ${PAYMENT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Payments that stay open until `finish`; `started` has their amounts in order. */
function heldPayments() {
  const started: bigint[] = [];
  const finishers: (() => void)[] = [];
  const changes: Partial<NodeApi> = {
    pay: (request) =>
      new Promise((resolve) => {
        started.push(request.amount);
        finishers.push(() => resolve({ ok: true, value: paymentResult(request) }));
      }),
  };
  return { started, changes, finish: () => finishers.shift()?.() };
}

describe('the server', () => {
  it('answers on a free loopback port until it is closed', async () => {
    const server = await start();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    const response = await fetch(`${server.url}/api/v1/tokens`);
    expect(await response.json()).toEqual([TOKEN]);
    await server.close();
    await expect(fetch(`${server.url}/api/v1/tokens`)).rejects.toThrow();
  });

  it('listens on IPv6 loopback with a URL that works', async () => {
    const server = await start({ host: '::1' });
    expect(server.url).toBe(`http://[::1]:${server.port}`);
    expect((await fetch(`${server.url}/api/v1/tokens`)).status).toBe(200);
  });

  it.each(['0.0.0.0', '::', '192.168.1.1', 'node.example'])(
    'refuses to listen on %s unless that is allowed',
    async (host) => {
      await expect(start({ host })).rejects.toThrow(`${host} can be reached from other machines`);
    },
  );

  it('listens on every interface when that is allowed, still by known host names', async () => {
    const server = await start({ host: '0.0.0.0', allowPublic: true });
    const { socket, received } = await open(server);
    socket.write('GET /api/v1/tokens HTTP/1.1\r\nHost: evil.com\r\n\r\n');
    await until(() => received().includes('errors'));
    expect(received()).toMatch(/^HTTP\/1.1 403 /);
    expect((await fetch(`http://127.0.0.1:${server.port}/api/v1/tokens`)).status).toBe(200);
  });

  it('says when the port is taken', async () => {
    const { port } = await start();
    await expect(start({ port })).rejects.toThrow('EADDRINUSE');
  });

  it('finishes the answers in progress when it is closed', async () => {
    const { changes, started, finish } = heldPayments();
    const server = await start({ changes });
    const payment = fetch(`${server.url}${PAYMENT}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"amount":"5"}',
    });
    await until(() => started.length === 1);
    const closed = server.close();
    finish();
    expect((await payment).status).toBe(200);
    await closed;
  });

  it('cuts off whoever is still there when the time to close is over', async () => {
    const { changes, started } = heldPayments();
    const server = await start({ changes, timeouts: { close: 50 } });
    const { socket } = await open(server);
    socket.write(post('{"amount":"5"}'));
    await until(() => started.length === 1);
    await server.close();
    await until(() => socket.destroyed, 'the connection to end');
    expect(socket.destroyed).toBe(true);
  });

  it('cuts off a client that does not read its answer, and not one that waits for its own', async () => {
    const { changes, started, finish } = heldPayments();
    const rows = Array.from({ length: 500 }, () => HISTORY).flat();
    const read: number[] = [];
    function* endless() {
      for (;;) {
        read.push(performance.now());
        yield rows;
      }
    }
    const payments: NodeApi['payments'] = () => ({ ok: true, value: endless() });
    const server = await start({
      changes: { ...changes, payments },
      options: { apiConcurrency: 2 },
      timeouts: { unread: 100 },
    });
    const paying = await open(server);
    paying.socket.write(post('{"amount":"1"}'));
    await until(() => started.length === 1);
    const reading = await open(server);
    reading.socket.pause();
    reading.socket.write('GET /api/v1/payments HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => server.noticed.left === 1, 'the reader to be cut off');
    expect(read.length).toBeGreaterThan(0);
    finish();
    await until(() => paying.received().startsWith('HTTP/1.1 200'), 'the payment is answered');
  });

  it('answers the call on a new connection that makes it fail and close', async () => {
    const server = await start({
      changes: { isBroken: () => true },
      options: { onInternalError: () => void server.close() },
    });
    const { socket, received } = await open(server);
    socket.write('GET /api/v1/address HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => received().startsWith('HTTP/1.1 500'), 'the answer');
  });

  it('does not wait for a connection that has asked for nothing', async () => {
    const server = await start({ timeouts: { close: 600_000 } });
    const { socket } = await open(server);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    await server.close();
    await until(() => socket.destroyed, 'the connection to end');
  });

  it('answers a call that was on its way when the server was closed', async () => {
    const server = await start({ timeouts: { late: 1_000 } });
    const idle = await open(server);
    idle.socket.write('GET /api/v1/address HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await until(() => idle.received().includes('our_address'), 'the first answer');
    const fresh = await open(server);
    const closed = server.close();
    const call = 'GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n';
    for (const { socket } of [idle, fresh]) socket.write(call);
    for (const { received } of [idle, fresh])
      await until(() => received().includes('1.2.3'), 'an answer');
    await closed;
  });

  it('answers a shutdown request that has no headers before it closes', async () => {
    const { url } = await start();
    const response = await fetch(`${url}/api/v1/shutdown`, { method: 'POST' });
    expect(await response.json()).toEqual({ status: 'shutdown' });
  });

  it('stops serving after the first internal failure', async () => {
    const tokens = () => {
      throw new Error('disk full');
    };
    const server = await start({
      changes: { tokens },
      options: { onInternalError: () => void server.close() },
    });
    const response = await fetch(`${server.url}/api/v1/tokens`);
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('Internal server error');
    await until(() =>
      fetch(`${server.url}/api/v1/status`).then(
        () => false,
        () => true,
      ),
    );
  });
});

describe('requests that are not right', () => {
  it('are answered 413 by their declared length, before the body is sent', async () => {
    const { socket, received } = await open(await start());
    socket.write(
      `POST ${PAYMENT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{"am`,
    );
    await until(() => received().includes('errors'));
    expect(received()).toMatch(/^HTTP\/1.1 413 /);
  });

  it('are answered 413 when chunks exceed the limit, with most of the body still to come', async () => {
    const { socket, received } = await open(await start());
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    socket.write(
      `POST ${PAYMENT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}`,
    );
    await until(() => received().includes('errors'));
    expect(received()).toMatch(/^HTTP\/1.1 413 /);
  });

  it('are told that they are too large when they send all of it before they read', async () => {
    const server = await start();
    const large = 10 * 2 ** 20;
    const head = `POST ${PAYMENT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    const request = `${head}Content-Length: ${large}\r\n\r\n${' '.repeat(large)}`;
    for (let nth = 0; nth < 5; nth++) {
      const { socket, received } = await open(server);
      socket.pause();
      const error = await new Promise((resolve) => socket.write(request, resolve));
      expect(error ?? null).toBeNull();
      socket.resume();
      await until(() => received().includes('errors'));
      expect(received()).toMatch(/^HTTP\/1.1 413 /);
      socket.write('GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await until(() => received().includes('"version"'));
    }
  });

  it('are read exactly when they come in chunks', async () => {
    const { socket, received } = await open(await start());
    const chunks = ['{"amount":"1","identifier":90071', '99254740993}'].map(
      (text) => `${text.length.toString(16)}\r\n${text}\r\n`,
    );
    socket.write(
      `POST ${PAYMENT} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`,
    );
    await until(() => received().includes('}'));
    expect(received()).toMatch(/^HTTP\/1.1 200 /);
    expect(received()).toContain('"identifier":"9007199254740993"');
  });

  it.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['an unknown method', 'BREW /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['no host', 'GET /api/v1/tokens HTTP/1.1\r\n\r\n', 400],
    ['no host in HTTP/1.0', 'GET /api/v1/tokens HTTP/1.0\r\n\r\n', 400],
    ['an empty host', 'GET /api/v1/tokens HTTP/1.1\r\nHost:\r\n\r\n', 400],
    ['a host that is a path', 'GET /api/v1/tokens HTTP/1.1\r\nHost: a/b\r\n\r\n', 400],
    ['two lengths', post('{}', 'Transfer-Encoding: chunked\r\n'), 400],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\n\r\n', 403],
    ['an expectation that nobody knows', post('{}', 'Expect: tea\r\n'), 417],
    ['too many headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('are answered with errors for %s', async (_, text, status) => {
    const { socket, received } = await open(await start());
    socket.write(text);
    await until(() => received().includes('"code"'));
    expect(received()).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*"errors"`));
  });

  it.each([
    ['headers', 'GET /api/v1/tokens HTTP/1.1\r\nHost: loc'],
    ['a body', `${post('{"amount":"5"}').slice(0, -3)}`],
    ['nothing', ''],
  ])('are answered 408 and cut off when %s never end', async (_, text) => {
    const server = await start({ timeouts: { headers: 100, request: 200 } });
    const { socket, received } = await open(server);
    if (text !== '') socket.write(text);
    await until(() => socket.destroyed || socket.readableEnded, 'the connection to end');
    expect(received()).toMatch(/^HTTP\/1.1 408 [\s\S]*"errors"/);
  });
});

describe('calls over real connections', () => {
  it('are handled in the order in which they arrive, whatever their kind', async () => {
    const order: string[] = [];
    const changes: Partial<NodeApi> = {
      pay: async (request) => {
        order.push(`pay ${request.amount}`);
        return { ok: true, value: paymentResult(request) };
      },
      tokenNetworkOf: () => {
        order.push('read');
        return null;
      },
    };
    const server = await start({ changes });
    const connections = [];
    for (let i = 0; i < 20; i++) connections.push(await open(server));
    connections.forEach(({ socket }, i) => {
      const read = `GET /api/v1/tokens/${TOKEN} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      socket.write(i % 2 === 0 ? post(`{"amount":"${i + 1}"}`) : read);
    });
    await until(() => order.length === 20);
    const expected = connections.map((_, i) => (i % 2 === 0 ? `pay ${i + 1}` : 'read'));
    expect(order).toEqual(expected);
  });

  it('of a client that disconnects while they wait are not made', async () => {
    const { changes, started, finish } = heldPayments();
    const server = await start({ changes });
    const clients = [await open(server), await open(server), await open(server)];
    for (const [i, { socket }] of clients.entries()) {
      socket.write(post(`{"amount":"${i + 1}"}`));
      await until(() => server.noticed.arrived === i + 1);
    }
    clients[1]?.socket.destroy();
    await until(() => server.noticed.left === 1, 'the server to notice');
    finish();
    await until(() => started.length === 2);
    finish();
    await until(() => clients[2]?.received().includes('"amount":"3"') === true);
    expect(started).toEqual([1n, 3n]);
  });

  it('of a client that disconnects while they are handled run on', async () => {
    const { changes, started, finish } = heldPayments();
    const server = await start({ changes });
    const leaving = await open(server);
    leaving.socket.write(post('{"amount":"1"}'));
    await until(() => started.length === 1);
    const next = await open(server);
    next.socket.write(post('{"amount":"2"}'));
    await until(() => server.noticed.arrived === 2);
    leaving.socket.destroy();
    await until(() => server.noticed.left === 1, 'the server to notice');
    expect(started).toEqual([1n]);
    finish();
    await until(() => started.length === 2);
    finish();
    await until(() => next.received().includes('"amount":"2"'));
  });

  it('wait by the ten thousand, and the next one is answered 503', async () => {
    const { changes, started, finish } = heldPayments();
    const server = await start({ changes, options: { queueSeconds: 3_600 } });
    const first = await open(server);
    first.socket.write(post('{"amount":"1"}'));
    await until(() => started.length === 1);
    // Requests sent one after the other on few connections, because connections are scarce.
    const read = 'GET /api/v1/address HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const many = await Promise.all(Array.from({ length: 100 }, () => open(server)));
    for (const { socket } of many) socket.write(read.repeat(100));
    await until(() => server.noticed.arrived === 10_001, 'ten thousand calls to arrive');
    const refused = await fetch(`${server.url}/api/v1/address`);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await fetch(`${server.url}/api/v1/status`)).status).toBe(200);
    finish();
    const answers = () => many.map(({ received }) => received().split('our_address').length - 1);
    await until(() => answers().every((count) => count === 100), 'ten thousand answers');
    expect(many.every(({ received }) => !received().includes('HTTP/1.1 503'))).toBe(true);
  });
});
