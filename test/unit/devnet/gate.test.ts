import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openGate } from '../../../src/devnet/network/gate.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server that says back what it hears. */
async function startEcho(): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  const bound = server.address();
  return `nats://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`;
}

async function connectTo(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => socket.destroy());
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function said(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [data] = await once(socket, 'data');
  return String(data);
}

describe('a gate between a node and the broker', () => {
  it('lets everything through, ends all connections when it is shut, and opens again', async () => {
    const gate = await openGate(await startEcho());
    ends.push(gate.close);
    const first = await connectTo(gate.url);
    expect(await said(first, 'PING')).toBe('PING');

    const closed = once(first, 'close');
    gate.shut();
    await closed;
    expect(gate.isOpen()).toBe(false);
    const refused = connect(Number(new URL(gate.url).port), '127.0.0.1');
    refused.on('error', () => {});
    refused.resume();
    await once(refused, 'close');

    gate.open();
    expect(await said(await connectTo(gate.url), 'PONG')).toBe('PONG');
  });

  it('ends the near side when the far one is not there', async () => {
    const gate = await openGate('nats://127.0.0.1:1');
    ends.push(gate.close);
    const socket = await connectTo(gate.url);
    socket.resume();
    await once(socket, 'close');
  });
});
