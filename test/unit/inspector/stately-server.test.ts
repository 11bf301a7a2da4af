import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { serveStately } from '../../../src/inspector/stately-server.ts';

const UPGRADE = [
  'GET / HTTP/1.1',
  'Host: 127.0.0.1',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

const forbidding = () =>
  serveStately({
    port: 0,
    admits: () => false,
    handle: () => Promise.reject(new Error('nobody is let in')),
    onFailure: (error) => expect(error).toBeUndefined(),
  });

it('outlives a refused client that breaks its connection off', async () => {
  const server = await forbidding();
  for (let client = 0; client < 20; client += 1) {
    const socket = connect({ port: server.port, host: '127.0.0.1' }).on('error', () => {});
    const closed = once(socket, 'close');
    socket.write(UPGRADE);
    // Some before they are answered, some after.
    if (client % 2 === 0) await once(socket, 'data');
    else await once(socket, 'connect');
    socket.resetAndDestroy();
    await closed;
  }
  await server.end();
});

it('ends while clients hold connections on which they say nothing', async () => {
  const server = await forbidding();
  const open = () => connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  const [silent, refused] = [open(), open()];
  for (const socket of [silent, refused]) socket.on('error', () => {});
  await once(silent, 'connect');
  refused.write(UPGRADE);
  const [answer] = await once(refused, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 403/);
  await server.end();
  for (const socket of [silent, refused]) socket.destroy();
}, 40_000);
