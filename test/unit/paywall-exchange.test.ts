/** What the paywall says to the server behind, to the byte, and what it makes of its answers. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { type Asked, exchange, trailersOf } from '../../src/paywall/base/exchange.ts';
import { until } from '../support/until.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server of bytes: says `answer` to each head that has come whole, and notes all that comes. */
async function bytesServer(answer: string | Buffer, then: (socket: Socket) => void = () => {}) {
  let came = '';
  const server = createServer((socket) => {
    ends.push(() => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const isHead = !came.includes('\r\n\r\n');
      came += bytes.toString('latin1');
      if (!isHead || !came.includes('\r\n\r\n')) return;
      socket.write(answer);
      then(socket);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const bound = server.address();
  const port = typeof bound === 'object' ? bound?.port : 0;
  return { url: `http://127.0.0.1:${port}/a?b=1`, came: () => came };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const asked = (parts: Partial<Asked> = {}): Asked => ({
  ...{ method: 'GET', headers: new Headers(), body: null, signal: null },
  ...parts,
});
const streamOf = (...parts: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
const packed = (encoding: string, body: Buffer) =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n`,
    ),
    body,
  ]);

it.each(['GET', 'POST', 'DELETE'])(
  'says no length of a body that a call by %s does not have',
  async (method) => {
    const server = await bytesServer(OK);
    const headers = new Headers({ 'content-length': '40', 'x-mine': '1' });
    const answer = await exchange(server.url, asked({ method, headers }));
    expect(await answer.text()).toBe('ok');
    expect(server.came()).toMatch(new RegExp(`^${method} /a\\?b=1 HTTP/1.1\r\n`));
    expect(server.came()).toMatch(/x-mine: 1\r\n/i);
    expect(server.came()).not.toMatch(/content-length: [1-9]/i);
    expect(server.came()).toMatch(/\r\n\r\n$/);
  },
);

it.each(['POST', 'DELETE', 'OPTIONS'])(
  'sends a body of no known length by %s in chunks with an end',
  async (method) => {
    const server = await bytesServer(OK);
    const body = streamOf('GET /other HTTP/1.1\r\n\r\n', 'more');
    await (await exchange(server.url, asked({ method, body }))).text();
    await until(() => server.came().endsWith('\r\n0\r\n\r\n'), 'the body has an end');
    expect(server.came()).toMatch(/transfer-encoding: chunked/i);
    expect(server.came()).toContain('17\r\nGET /other HTTP/1.1\r\n\r\n\r\n4\r\nmore');
  },
);

it('keeps the length that the caller says of its body', async () => {
  const server = await bytesServer(OK);
  const headers = new Headers({ 'content-length': '4' });
  const call = asked({ method: 'POST', headers, body: streamOf('mo', 're') });
  await (await exchange(server.url, call)).text();
  await until(() => server.came().endsWith('\r\n\r\nmore'), 'the body is there');
  expect(server.came()).not.toMatch(/chunked/i);
});

it('breaks off a call whose body breaks off', async () => {
  let isClosed = false;
  const server = await bytesServer('', (socket) =>
    socket.on('close', () => {
      isClosed = true;
    }),
  );
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new Error('the caller left'));
    },
  });
  await expect(exchange(server.url, asked({ method: 'POST', body }))).rejects.toThrow('left');
  await until(() => isClosed || server.came() === '', 'the server sees that');
});

it.each([
  ['gzip', gzipSync('plain')],
  ['x-gzip', gzipSync('plain')],
  ['deflate', deflateSync('plain')],
  ['br', brotliCompressSync('plain')],
])('unpacks an answer packed by %s, though it asked for none', async (encoding, bytes) => {
  const server = await bytesServer(packed(encoding, bytes));
  const answer = await exchange(server.url, asked());
  expect(await answer.text()).toBe('plain');
  expect([...answer.headers.keys()]).toEqual([]);
});

it('lets the body of a packed answer fail that ends too early', async () => {
  const server = await bytesServer(packed('gzip', gzipSync('plain '.repeat(99)).subarray(0, -9)));
  const answer = await exchange(server.url, asked());
  await expect(answer.text()).rejects.toThrow();
});

it('rejects when a short answer is cut off, and not when a long one is', async () => {
  const short = await bytesServer('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok', (socket) =>
    socket.end(),
  );
  await expect(exchange(short.url, asked())).rejects.toThrow('aborted');
  const long = await bytesServer('HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\nok', (socket) =>
    socket.end(),
  );
  const answer = await exchange(long.url, asked());
  await expect(answer.text()).rejects.toThrow('aborted');
});

it.each([
  ['is cut off', 'HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\nok'],
  ['is cut off in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nok'],
  ['is not packed as it says', packed('gzip', Buffer.from('no gzip at all'))],
])('lets a body fail that %s before anybody reads it', async (_, bytes) => {
  let isClosed = false;
  const server = await bytesServer(bytes, (socket) => {
    socket.end();
    socket.on('close', () => {
      isClosed = true;
    });
  });
  const answer = await exchange(server.url, asked());
  await until(() => isClosed, 'the connection is gone');
  await new Promise(setImmediate);
  await expect(answer.text()).rejects.toThrow();
});

it.each([
  ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n', 200],
  ['GET', 'HTTP/1.1 204 No Content\r\n\r\n', 204],
  ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n', 304],
])('waits for no body where none comes: %s %j', async (method, bytes, status) => {
  const server = await bytesServer(bytes);
  const answer = await exchange(server.url, asked({ method }));
  expect([answer.status, answer.body]).toEqual([status, null]);
});

it('tells trailers and cookies, each by itself', async () => {
  const head =
    'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nTransfer-Encoding: chunked';
  const server = await bytesServer(`${head}\r\n\r\n2\r\nok\r\n0\r\nPrice: 1\r\nprice: 2\r\n\r\n`);
  const answer = await exchange(server.url, asked());
  expect(await answer.text()).toBe('ok');
  expect(trailersOf(answer, 'price')).toEqual(['1', '2']);
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
});

it.each(['HTTP/1.1 999 Odd\r\n\r\n', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n', 'junk\r\n'])(
  'rejects what is no answer: %j',
  async (bytes) => {
    const server = await bytesServer(bytes, (socket) => socket.end());
    await expect(exchange(server.url, asked())).rejects.toThrow();
  },
);

it('is broken off by its signal, before its answer and in the middle of it', async () => {
  const silent = await bytesServer('');
  const first = new AbortController();
  const waiting = exchange(silent.url, asked({ signal: first.signal }));
  await until(() => silent.came() !== '', 'it has asked');
  first.abort();
  await expect(waiting).rejects.toThrow();
  const slow = await bytesServer('HTTP/1.1 200 OK\r\n\r\nok');
  const second = new AbortController();
  const answer = await exchange(slow.url, asked({ signal: second.signal }));
  second.abort();
  await expect(answer.text()).rejects.toThrow();
});

it.each(['HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhalf', 'HTTP/1.0 200 OK\r\n\r\nhalf'])(
  'lets an answer fail without a length whose connection breaks: %j',
  async (said) => {
    const server = await bytesServer(said, (socket) => setTimeout(() => socket.resetAndDestroy()));
    const answer = await exchange(server.url, asked());
    await expect(answer.text()).rejects.toThrow('ECONNRESET');
  },
);

it('gives up a server that begins to speak another protocol', async () => {
  const server = await bytesServer(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
  );
  await expect(exchange(server.url, asked())).rejects.toThrow('without an answer');
});
