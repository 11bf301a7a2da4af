/** A stream that is made while the answers of the broker come late. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectJetStream, createStream } from '../../src/replica/jetstream.ts';
import { type NatsServer, startNats } from '../support/nats.ts';

const NAME = 'slow';
const folder = mkdtempSync(join(tmpdir(), 'sluice-stream-'));
let broker: NatsServer;
let server: Server;

/** Holds back the first message for the stream until the second one has passed. */
function delayFirst(): (chunk: Buffer, to: Socket) => void {
  let held: Buffer | null = null;
  let isDone = false;
  return (chunk, to) => {
    const isForStream = /^H?PUB sluice\.replica\./m.test(chunk.toString('latin1'));
    if (isForStream && held === null && !isDone) {
      held = chunk;
      return;
    }
    to.write(chunk);
    if (!isForStream || held === null) return;
    to.write(held);
    held = null;
    isDone = true;
  };
}

beforeAll(async () => {
  broker = await startNats({ args: ['--jetstream', '--store_dir', folder] });
  const pass = delayFirst();
  server = createServer((client) => {
    const line = dial(broker.port, '127.0.0.1');
    client.on('data', (chunk: Buffer) => pass(chunk, line));
    line.pipe(client);
    for (const socket of [client, line]) socket.on('error', () => {});
    client.on('close', () => line.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  server.close();
  await broker.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('begins once, also when the message with which it begins arrives after it was sent again', async () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const login = { name: NAME, inbox: 'operator', report() {} };
  expect(await createStream({ ...login, url: `nats://127.0.0.1:${port}`, replicas: 1 })).toEqual({
    ok: true,
  });
  const stream = connectJetStream({ ...login, url: broker.url });
  expect(await stream.bounds()).toMatchObject({ first: 1, last: 0 });
  await stream.close();
});
