/** Bodies in the packets in which they may arrive: the server has a shorter way for those that come at once. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import { type ApiServer, serve } from '../../src/http/server.ts';
import { until } from '../support/until.ts';
import { fakeNode, PARTNER, TOKEN } from '../unit/http/fake-node.ts';

const running: ApiServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const PAYMENT = '{"amount":"1","identifier":9007199254740993}';
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

function head(length: number): Buffer {
  return Buffer.from(
    `POST /api/v1/payments/${TOKEN}/${PARTNER} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  );
}

type Way = (head: Buffer, body: Buffer) => Buffer[];
const WAYS: [way: string, packets: Way][] = [
  ['in one packet with its headers', (head, body) => [Buffer.concat([head, body])]],
  ['after its headers', (head, body) => [head, body]],
  [
    'partly with its headers',
    (head, body) => [Buffer.concat([head, body.subarray(0, 5)]), body.subarray(5)],
  ],
  ['in two parts', (head, body) => [head, body.subarray(0, 5), body.subarray(5)]],
];

/** A connection that has sent the packets, with pauses between them, and what has come back on it. */
async function sent(packets: readonly Buffer[]) {
  const server = await serve({ app: createApp({ node: fakeNode() }), port: 0 });
  running.push(server);
  const socket = connect({ port: server.port, host: '127.0.0.1', noDelay: true });
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (part: string) => {
    text += part;
  });
  for (const packet of packets) {
    socket.write(packet);
    await delay(20);
  }
  return { socket, received: () => text };
}

/** What is answered to the packets; a second call on the same connection is answered too. */
async function answerTo(packets: readonly Buffer[]): Promise<string> {
  const { socket, received } = await sent(packets);
  await until(() => received().includes('}'));
  socket.write('GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await until(() => received().includes('"version"'));
  socket.destroy();
  return received();
}

describe('a body over a real connection', () => {
  it.each(WAYS)('is read exactly when it comes %s', async (_, packets) => {
    const body = Buffer.from(PAYMENT);
    const answer = await answerTo(packets(head(body.length), body));
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
    expect(answer).toContain('"identifier":"9007199254740993"');
  });

  it.each(WAYS)('may begin with a byte order mark when it comes %s', async (_, way) => {
    const body = Buffer.concat([BYTE_ORDER_MARK, Buffer.from(PAYMENT)]);
    expect(await answerTo(way(head(body.length), body))).toMatch(/^HTTP\/1.1 200 /);
  });

  it.each(WAYS)('has its wrong bytes replaced when it comes %s', async (_, way) => {
    const body = Buffer.concat([
      Buffer.from('{"amount":"1","'),
      Buffer.from([0xe2, 0x82, 0x22, 0x3a, 0x31, 0x7d]),
    ]);
    const answer = await answerTo(way(head(body.length), body));
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('{"\ufffd":["Unknown field."]}');
  });

  it('pays nothing when its last byte is missing', async () => {
    const body = Buffer.from(PAYMENT);
    const { socket, received } = await sent([
      Buffer.concat([head(body.length), body]).subarray(0, -1),
    ]);
    expect(received()).toBe('');
    socket.end();
    await until(() => socket.destroyed, 'the connection to end');
    expect(received()).not.toMatch(/^HTTP\/1.1 200 /);
  });
});
